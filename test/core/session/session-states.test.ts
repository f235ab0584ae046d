import {
  type AgentSession,
  type AgentTool,
  checkTranscript,
  createAgentSession,
  type Model,
  type ModelPart,
  type ModelRequest,
  type SessionEvent,
  type SessionOptions,
  type Stop,
} from "toolmap";
import { type ManualClock, manualClock, memoryPorts, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle } from "../../support/tools.ts";
import { transcriptFault } from "../../support/transcript-fault.ts";

const never = (): Promise<never> => new Promise(() => undefined);
const { rules } = scriptedModel([]);
const namesIn = (request: ModelRequest | undefined): readonly string[] | undefined =>
  request?.tools.map(({ name }) => name);

/** Texts that the user said in a request, oldest first. */
function saidIn(request: ModelRequest | undefined): readonly string[] {
  return (request?.messages ?? []).flatMap((message) =>
    message.role === "user" ? message.content.flatMap((block) => ("text" in block ? [block.text] : [])) : [],
  );
}

/** A model whose answers a test lets go on part by part. */
function steppedModel(
  answer: (turn: number) => AsyncIterable<ModelPart>,
): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    rules,
    requests,
    turn: (request) => {
      requests.push({ ...request, messages: [...request.messages], tools: [...request.tools] });
      return answer(requests.length);
    },
  };
}

describe("ready ->", () => {
  test("turning and calling: a program's calls run beside a prompt, and each is told apart", async () => {
    const [inPrompt, beside] = [gate(), gate()];
    const model = scriptedModel([{ calls: [{ name: "slow", input: { who: "model" } }] }, { text: "done" }]);
    const session = await createAgentSession({
      tools: [makeTool("slow", ({ who }) => (who === "model" ? inPrompt.opened : beside.opened))],
      model,
    });
    const turns: unknown[] = [];
    session.observe((event) => event.type === "tool-call-finished" && turns.push([event.caller.kind, event.turn]));
    const run = session.prompt("go");
    const calls = [session.dispatch({ name: "slow" }), session.dispatch({ name: "slow" })];
    await settle();
    beside.open();
    expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    inPrompt.open();
    const { stop, results } = await run;
    expect([stop, results.length]).toEqual(["end", 1]);
    expect(turns).toEqual([
      ["program", undefined],
      ["program", undefined],
      ["model", 1],
    ]);
  });

  const ends: readonly [
    Stop,
    (clock: ManualClock) => SessionOptions,
    (session: AgentSession, clock: ManualClock) => unknown,
  ][] = [
    ["end", () => ({ model: scriptedModel([{ text: "hello" }]) }), settle],
    ["turns", () => ({ model: scriptedModel([{ calls: [{ name: "t" }] }]), limits: { turns: 1 } }), settle],
    [
      "tokens",
      () => ({
        model: scriptedModel([{ calls: [{ name: "t" }], usage: { inputTokens: 9, outputTokens: 9 } }]),
        limits: { tokens: 10 },
      }),
      settle,
    ],
    [
      "time",
      () => ({
        model: scriptedModel([{ text: "I will", calls: [{ name: "hangs" }, { name: "t" }] }]),
        limits: { timeMs: 100 },
      }),
      (_, clock) => clock.advance(100),
    ],
    [
      "loop",
      () => ({ model: scriptedModel(Array.from({ length: 6 }, () => ({ calls: [{ name: "same" }] }))) }),
      settle,
    ],
    [
      "cancelled",
      () => ({ model: scriptedModel([{ calls: [{ name: "t" }, { name: "hangs" }] }]) }),
      (session) => session.abort(),
    ],
    [
      "model-error",
      () => ({ model: scriptedModel([{ text: "half", calls: [{ name: "t" }], throws: new Error("reset") }]) }),
      settle,
    ],
  ];
  test.each(ends)(
    "turning -> ready(%s): the next prompt goes on, with a transcript that providers take",
    async (stop, options, act) => {
      const clock = manualClock();
      const given = options(clock);
      let current = given.model;
      const next = scriptedModel([{ text: "again" }]);
      const session = await createAgentSession({
        tools: [makeTool("t"), makeTool("same", () => "same"), makeTool("hangs", never)],
        ...given,
        // The conversation goes on with another model behind the same port.
        model: { rules, turn: (request) => (current ?? next).turn(request) },
        ports: { clock },
      });
      const run = session.prompt("first");
      await settle();
      await act(session, clock);
      const result = await run;
      expect(result.stop).toBe(stop);
      expect(result.error === undefined).toBe(stop !== "model-error");
      current = next;
      expect((await session.prompt("second")).text).toBe("again");
      const [request] = next.requests;
      expect(saidIn(request)).toEqual(["first", "second"]);
      expect(transcriptFault(request?.messages ?? [])).toBeUndefined();
      expect(checkTranscript(request?.messages ?? [], rules)).toEqual([]);
      const open = session.close();
      await clock.advance(5000);
      await open;
      expect(clock.pending).toBe(0);
    },
  );
});

describe("boundary", () => {
  const owner = { kind: "plugin", pluginId: "p" } as const;
  const plugin = (...names: string[]): readonly AgentTool[] =>
    names.map((name) => makeTool(name, undefined, { owner }));

  test("a registry that was rebuilt while the model spoke is sent with the next request, with its prompt, and not before", async () => {
    const source = fakeSource("p", "plugin", { tools: plugin("a"), state: "ready" });
    const model = steppedModel(async function* (turn) {
      if (turn === 1) {
        source.set({ tools: plugin("a", "b"), state: "ready" });
        await settle();
        yield { type: "tool-call", call: { id: "1", name: "a", input: {} } };
        yield { type: "tool-call", call: { id: "2", name: "b", input: {} } };
      } else yield { type: "text-delta", text: "done" };
      yield { type: "finish", reason: "stop" };
    });
    const session = await createAgentSession({
      sources: [source],
      model,
      systemPrompt: (tools) => tools.map(({ name }) => name).join(),
      defaults: { ask: "never" },
    });
    const { results } = await session.prompt("go");
    expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "unavailable"]);
    expect(model.requests.map(namesIn)).toEqual([["a"], ["a", "b"]]);
    expect(model.requests.map(({ system }) => system)).toEqual(["a", "a,b"]);
  });

  test("tools that are made active while the model speaks count from the next request on", async () => {
    const model = steppedModel(async function* (turn) {
      if (turn === 1) {
        session.setActiveToolsByName(["b"]);
        yield { type: "tool-call", call: { id: "1", name: "a", input: {} } };
        yield { type: "tool-call", call: { id: "2", name: "b", input: {} } };
      } else yield { type: "text-delta", text: "done" };
      yield { type: "finish", reason: "stop" };
    });
    const session: AgentSession = await createAgentSession({ tools: [makeTool("a"), makeTool("b")], model });
    session.setActiveToolsByName(["a"]);
    const { results } = await session.prompt("go");
    expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "unavailable"]);
    expect(model.requests.map(namesIn)).toEqual([["a"], ["b"]]);
  });

  test("steering that comes with the last words is said in the same run", async () => {
    const model = steppedModel(async function* (turn) {
      yield { type: "text-delta", text: `answer ${turn}` };
      if (turn === 1) session.steer("one more thing");
      yield { type: "finish", reason: "stop" };
    });
    const session: AgentSession = await createAgentSession({ model });
    expect(await session.prompt("go")).toMatchObject({ stop: "end", text: "answer 2" });
    expect(saidIn(model.requests[1])).toEqual(["go", "one more thing"]);
  });

  test("several that steer are heard in their order, at one boundary", async () => {
    const model = scriptedModel([{ calls: [{ name: "t" }] }, { text: "done" }]);
    const session: AgentSession = await createAgentSession({
      tools: [
        makeTool("t", () => {
          for (const text of ["one", "two", "three"]) session.steer(text);
        }),
      ],
      model,
    });
    await session.prompt("go");
    expect(saidIn(model.requests[1])).toEqual(["go", "one", "two", "three"]);
    expect(transcriptFault(model.requests[1]?.messages ?? [])).toBeUndefined();
  });

  test.each<[Stop, (session: AgentSession) => void, object]>([
    ["cancelled", (session) => session.abort(), {}],
    ["model-error", () => undefined, { throws: new Error("reset") }],
  ])("steering that waits when a run ends by %s is said with the next prompt, once", async (stop, act, end) => {
    const model = scriptedModel([
      { calls: [{ name: "t" }] },
      { text: "half", ...end },
      { text: "done" },
      { text: "more" },
    ]);
    let current: AgentSession | undefined;
    const speaking: Model = {
      rules,
      async *turn(request) {
        for await (const part of model.turn(request)) {
          yield part;
          if (part.type !== "text-delta" || part.text !== "half" || !current) continue;
          current.steer("kept");
          act(current);
        }
      },
    };
    const session = await createAgentSession({ tools: [makeTool("t")], model: speaking });
    current = session;
    expect((await session.prompt("go")).stop).toBe(stop);
    await session.prompt("on");
    await session.prompt("and on");
    expect(saidIn(model.requests.at(-1))).toEqual(["go", "kept", "on", "and on"]);
  });
});

describe("streaming ->", () => {
  test("ready: an answer of text alone is one turn, in the transcript once", async () => {
    const model = scriptedModel([{ text: "hello" }, { text: "again" }]);
    const session = await createAgentSession({ tools: [makeTool("t")], model });
    const events: SessionEvent["type"][] = [];
    session.observe(({ type }) => events.push(type));
    expect(await session.prompt("go")).toMatchObject({ stop: "end", text: "hello", results: [] });
    expect(events).toEqual(["turn-started", "text-delta", "turn-finished"]);
    await session.prompt("again");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test("batch: an empty answer that is asked for again is one turn, and leaves nothing behind", async () => {
    const model = scriptedModel([{}, { calls: [{ name: "t" }] }, { text: "done" }]);
    const session = await createAgentSession({ tools: [makeTool("t")], model });
    const turns: unknown[] = [];
    session.observe((event) => event.type === "turn-started" && turns.push(event.turn));
    expect((await session.prompt("go")).stop).toBe("end");
    expect([turns, model.requests.length]).toEqual([[1, 2], 3]);
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
    expect(transcriptFault(model.requests[2]?.messages ?? [])).toBeUndefined();
  });

  test.each<[string, (reject: () => Promise<never>) => Model["turn"]]>([
    [
      "throws before it answers",
      () => () => {
        throw new Error("connection lost");
      },
    ],
    [
      "gives what cannot be iterated",
      () => () => ({ broken: true }) as never, // What a program without types may do.
    ],
    ["rejects when it is read", (reject) => () => ({ [Symbol.asyncIterator]: () => ({ next: reject }) })],
    [
      "ends its answer with an error",
      () =>
        async function* () {
          yield { type: "finish", reason: "error" };
        },
    ],
  ])("model-error: a model that %s ends the run, which does not reject, and the session is ready", async (_, turn) => {
    let isBroken = true;
    const broken = turn(() => Promise.reject(new Error("connection lost")));
    const well = scriptedModel([{ text: "well again" }]);
    const session = await createAgentSession({
      model: { rules, turn: (request) => (isBroken ? broken(request) : well.turn(request)) },
    });
    const { stop, error } = await session.prompt("go");
    expect(stop).toBe("model-error");
    expect(error?.message).not.toBe("");
    isBroken = false;
    expect((await session.prompt("again")).text).toBe("well again");
  });
});

describe("any -> degraded", () => {
  test("in the middle of a run: what writes is unavailable from then on, what reads runs, and the run goes on", async () => {
    const ran: string[] = [];
    const model = scriptedModel([
      { calls: [{ name: "pay" }] },
      { calls: [{ name: "pay" }, { name: "look" }] },
      { text: "done" },
    ]);
    const session = await createAgentSession({
      tools: [
        makeTool("pay", () => void ran.push("pay")),
        makeTool("look", () => void ran.push("look"), { annotations: { readOnlyHint: true } }),
      ],
      model,
      ports: {
        journal: {
          append: ({ type }) => (type === "outcome" ? Promise.reject(new Error("disk full")) : Promise.resolve()),
        },
      },
    });
    const degraded: string[] = [];
    session.observe((event) => event.type === "session-degraded" && degraded.push(event.message));
    const { stop, results } = await session.prompt("go");
    expect([stop, results.map(({ outcome }) => outcome)]).toEqual(["end", ["ok", "unavailable", "ok"]]);
    expect(ran).toEqual(["pay", "look"]);
    expect(degraded).toEqual([expect.stringContaining("disk full")]);
  });

  test("a lock that is lost in the middle of a run ends what runs, and nothing of the rest starts", async () => {
    const { lock, journal } = memoryPorts();
    const clock = manualClock();
    const ran: string[] = [];
    const model = scriptedModel([{ calls: [{ name: "slow" }, { name: "slow" }] }, { text: "done" }]);
    const session = await createAgentSession({
      id: "s",
      tools: [
        makeTool(
          "slow",
          () => {
            ran.push("slow");
            return never();
          },
          { rest: { exclusive: true } },
        ),
      ],
      model,
      ports: { lock, journal, clock },
    });
    const run = session.prompt("go");
    await settle();
    lock.lose("s");
    const { results } = await run;
    expect(results.map(({ isError }) => isError)).toEqual([true, true]);
    expect(results[0]?.outcome).toBe("cancelled");
    await settle();
    expect(ran).toEqual(["slow"]);
    expect((await session.dispatch({ name: "slow" })).outcome).toBe("unavailable");
    // Its executor is late, and holds up the whole process until its grace is over.
    await clock.advance(5000);
    expect(ran).toEqual(["slow"]);
  });
});

describe("closing ->", () => {
  test("closed: a run is cancelled with a result for each of its calls, and nothing is told after the end", async () => {
    const model = scriptedModel([{ calls: [{ name: "t" }, { name: "hangs" }] }]);
    const session = await createAgentSession({
      tools: [makeTool("t"), makeTool("hangs", never)],
      model,
      limits: { graceMs: 0 },
    });
    const events: SessionEvent["type"][] = [];
    session.observe(({ type }) => events.push(type));
    const run = session.prompt("go");
    await settle();
    const closed = await session.close();
    expect(closed.late).toMatchObject([{ name: "hangs" }]);
    expect(await run).toMatchObject({ stop: "cancelled", results: [{ outcome: "ok" }, { outcome: "cancelled" }] });
    await settle();
    expect(events.filter((type) => type === "tool-call-finished")).toHaveLength(2);
    expect(events.filter((type) => type === "session-closed")).toHaveLength(1);
    expect(events.at(-1)).toBe("session-closed");
  });

  test("closed: a model that neither answers nor hears its signal does not hold it up", async () => {
    const session = await createAgentSession({
      model: { rules, turn: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) },
    });
    const run = session.prompt("go");
    await settle();
    expect((await session.close()).late).toEqual([]);
    expect((await run).stop).toBe("cancelled");
  });

  test("closed: once, whoever asks for it, and then nothing begins", async () => {
    const session = await createAgentSession({ tools: [makeTool("t")], model: scriptedModel([]) });
    const closing = session.close();
    expect(session.close()).toBe(closing);
    await closing;
    const begin: Record<string, () => unknown> = {
      prompt: () => session.prompt("go"),
      steer: () => session.steer("go"),
      beginTurn: () => session.beginTurn(),
    };
    for (const [what, act] of Object.entries(begin))
      expect(act, what).toThrow(expect.objectContaining({ code: "session-closed" }));
    await expect(session.child()).rejects.toMatchObject({ code: "session-closed" });
    expect((await session.dispatch({ name: "t" })).outcome).toBe("cancelled");
    expect((await session.dispatchBatch([{ name: "t" }, { name: "t" }])).map(({ outcome }) => outcome)).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect((await session.tools.get("t")?.execute({}))?.outcome).toBe("cancelled");
    session.abort();
    await session[Symbol.asyncDispose]();
  });

  test("closed: it waits for a late executor no longer than its grace, and no longer than the executor", async () => {
    for (const settlesAt of [30, 90]) {
      const clock = manualClock();
      const end = gate();
      const session = await createAgentSession({
        tools: [makeTool("t", () => end.opened)],
        ports: { clock },
        limits: { graceMs: 60 },
      });
      const call = session.dispatch({ id: "c", name: "t" });
      await settle();
      let isClosed = false;
      const closing = session.close().finally(() => (isClosed = true));
      clock.after(settlesAt, () => end.open());
      await clock.advance(29);
      expect([isClosed, (await call).outcome]).toEqual([false, "cancelled"]);
      await clock.advance(31);
      expect(isClosed).toBe(true);
      expect((await closing).late).toEqual(settlesAt === 30 ? [] : [{ callId: "c", name: "t" }]);
    }
  });
});
