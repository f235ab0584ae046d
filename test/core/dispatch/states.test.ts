import {
  type AgentSession,
  type Approver,
  createAgentSession,
  type Hook,
  type PolicyLayer,
  type SessionEvent,
} from "toolmap";
import { manualClock, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

const ASKS: PolicyLayer[] = [{ name: "careful", ask: ["pay"] }];

/** Counts the ends that observers were told of, by call. */
function endsOf(session: AgentSession): Map<string, number> {
  const ends = new Map<string, number>();
  session.observe((event: SessionEvent) => {
    if (event.type === "tool-call-finished") ends.set(event.result.callId, (ends.get(event.result.callId) ?? 0) + 1);
  });
  return ends;
}

describe("a call", () => {
  test("received: an id that is in flight is renamed, and both calls end once", async () => {
    const end = gate();
    const session = await createAgentSession({ tools: [makeTool("slow", () => end.opened)] });
    const ends = endsOf(session);
    const both = [session.dispatch({ id: "a", name: "slow" }), session.dispatch({ id: "a", name: "slow" })];
    end.open();
    expect((await Promise.all(both)).map(({ callId }) => callId)).toEqual(["a", "a#2"]);
    expect([...ends]).toEqual([
      ["a", 1],
      ["a#2", 1],
    ]);
  });

  test("declared: a call waits until an earlier one of its batch that is still in a hook has said what it touches", async () => {
    const hook = gate();
    const order: string[] = [];
    const key = { resources: () => [{ key: "k", mode: "write" as const }] };
    const hooks: Hook[] = [{ name: "slow", tools: ["one"], concurrent: true, beforeToolCall: () => hook.opened }];
    const session = await createAgentSession({
      tools: [
        makeTool("one", () => void order.push("one"), { rest: key }),
        makeTool("two", () => void order.push("two"), { rest: key }),
      ],
      hooks,
    });
    const results = session.dispatchBatch([{ name: "one" }, { name: "two" }]);
    await settle();
    expect(order).toEqual([]);
    hook.open();
    await results;
    expect(order).toEqual(["one", "two"]);
  });

  test.each<[string, Approver["ask"]]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
    ["answers nonsense", async () => ({ answer: "maybe" }) as never],
    [
      "answers what cannot be read",
      async () =>
        new Proxy(
          {},
          {
            get: () => {
              throw new Error("no");
            },
          },
        ) as never,
    ],
    ["never answers", () => new Promise(() => undefined)],
  ])("asking: an approver that %s is a rejection that expired", async (_, ask) => {
    const clock = manualClock();
    let ran = 0;
    const session = await createAgentSession({
      tools: [makeTool("pay", () => (ran += 1))],
      policy: ASKS,
      approver: { ask },
      ports: { clock },
    });
    const ends = endsOf(session);
    const result = session.dispatch({ id: "c", name: "pay" });
    await clock.advance(5 * 60_000);
    expect(await result).toMatchObject({ outcome: "rejected", details: { approval: "expired" } });
    expect(ran).toBe(0);
    expect([...ends.values()]).toEqual([1]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ["removed", "unavailable"],
    ["down", "unavailable"],
  ] as const)("asking: a tool that is %s meanwhile does not run, although it was approved", async (what, outcome) => {
    const answer = gate();
    let ran = 0;
    const pay = makeTool("pay", () => (ran += 1), { owner: { kind: "plugin", pluginId: "p" } });
    const source = fakeSource("p", "plugin", { tools: [pay], state: "ready" });
    const session = await createAgentSession({
      sources: [source],
      policy: [{ name: "careful", ask: ["pay"] }],
      approver: { ask: () => answer.opened.then(() => ({ answer: "approved" as const })) },
    });
    const result = session.dispatch({ name: "pay" });
    await settle();
    source.set(what === "removed" ? { tools: [], state: "ready" } : { tools: [pay], state: "down" });
    session.refreshToolRegistry();
    answer.open();
    expect((await result).outcome).toBe(outcome);
    expect(ran).toBe(0);
  });

  test("asking: a tool that a hidden definition has taken the place of meanwhile does not run", async () => {
    const answer = gate();
    let ran = 0;
    const make = (env: string[]) =>
      makeTool("pay", () => (ran += 1), {
        owner: { kind: "plugin", pluginId: "p" },
        descriptor: env.length === 0 ? {} : { availability: { kind: "env", name: "NOT_SET" } as never },
      });
    const source = fakeSource("p", "plugin", { tools: [make([])], state: "ready" });
    const session = await createAgentSession({
      sources: [source],
      policy: ASKS,
      availability: { env: {} },
      approver: { ask: () => answer.opened.then(() => ({ answer: "approved" as const })) },
    });
    const result = session.dispatch({ name: "pay" });
    await settle();
    source.set({ tools: [make(["NOT_SET"])], state: "ready" });
    session.refreshToolRegistry();
    answer.open();
    expect((await result).outcome).not.toBe("ok");
    expect(ran).toBe(0);
  });

  test("executing: progress after the end is dropped", async () => {
    const events: string[] = [];
    let report = (_: string): void => undefined;
    const session = await createAgentSession({
      tools: [
        makeTool("t", (_, { progress }) => {
          report = (message) => progress({ message });
          report("in time");
          return "done";
        }),
      ],
    });
    session.observe((event) => {
      if (event.type === "tool-call-progressed") events.push(String(event.message));
    });
    await session.dispatch({ name: "t" });
    report("too late");
    expect(events).toEqual(["in time"]);
  });

  test("executing: a tool without progress for its idle limit is timed out, one that reports is not", async () => {
    const clock = manualClock();
    const end = gate();
    let report = (): void => undefined;
    const session = await createAgentSession({
      tools: [
        makeTool(
          "t",
          (_, { progress }) => {
            report = () => progress({ message: "alive" });
            return end.opened;
          },
          { rest: { idleTimeoutMs: 100 } },
        ),
      ],
      ports: { clock },
    });
    const alive = session.dispatch({ name: "t" });
    await settle();
    for (let tenth = 0; tenth < 10; tenth += 1) {
      await clock.advance(90);
      report();
    }
    end.open();
    expect((await alive).outcome).toBe("ok");
    const silent = await createAgentSession({
      tools: [makeTool("t", () => new Promise(() => undefined), { rest: { idleTimeoutMs: 100 } })],
      ports: { clock },
    });
    const result = silent.dispatch({ name: "t" });
    await settle();
    await clock.advance(100);
    expect(textOf(await result)).toContain("No progress for 100 ms");
  });

  test("raw: an after-hook that is late leaves the real result, and its context is dead", async () => {
    const clock = manualClock();
    let write = (): void => undefined;
    const session = await createAgentSession({
      tools: [makeTool("t", () => "real")],
      hooks: [
        {
          name: "late",
          timeoutMs: 10,
          afterToolCall: (_, { state }) => {
            write = () => state.set("k", 1);
            return new Promise(() => undefined);
          },
        },
      ],
      ports: { clock },
    });
    const result = session.dispatch({ name: "t" });
    await settle();
    await clock.advance(10);
    expect(textOf(await result)).toBe("real");
    expect((await result).details?.notes?.join()).toContain("timeout");
    expect(write).toThrow(expect.objectContaining({ code: "hook-expired" }));
  });
});

describe("a session", () => {
  test("batch: prompt is busy meanwhile, and what is steered comes at the next boundary", async () => {
    const end = gate();
    const model = scriptedModel([{ calls: [{ name: "slow", input: {} }] }, { text: "done" }]);
    const session = await createAgentSession({ tools: [makeTool("slow", () => end.opened)], model });
    const run = session.prompt("go");
    await settle();
    expect(() => session.prompt("again")).toThrow(expect.objectContaining({ code: "session-busy" }));
    session.steer("and this");
    end.open();
    expect((await run).stop).toBe("end");
    const last = model.requests.at(-1)?.messages.at(-1);
    expect(last).toMatchObject({ role: "user", content: [{ type: "text", text: "and this" }] });
  });

  test("boundary: steering that waits when a limit is reached is said with the next prompt", async () => {
    const model = scriptedModel([{ calls: [{ name: "t", input: {} }] }, { text: "done" }]);
    const session: AgentSession = await createAgentSession({
      tools: [makeTool("t", () => session.steer("kept"))],
      model,
      limits: { turns: 1 },
    });
    expect((await session.prompt("go")).stop).toBe("turns");
    expect((await session.prompt("more")).stop).toBe("end");
    const said = model.requests
      .at(-1)
      ?.messages.flatMap((message) =>
        message.role === "user" ? message.content.map((block) => ("text" in block ? block.text : "")) : [],
      );
    expect(said).toEqual(["go", "kept", "more"]);
  });

  test("boundary: a source that throws when it is read keeps the last good tools, and says so", async () => {
    const source = fakeSource("p", "plugin", {
      tools: [makeTool("t", () => "ran", { owner: { kind: "plugin", pluginId: "p" } })],
      state: "ready",
    });
    let breaks = false;
    const events: SessionEvent[] = [];
    const session = await createAgentSession({
      sources: [
        {
          ...source,
          list: () => {
            if (breaks) throw new Error("broken");
            return source.list();
          },
        },
      ],
    });
    session.observe((event) => events.push(event));
    breaks = true;
    session.refreshToolRegistry();
    await settle();
    expect(session.getAllTools().map(({ name }) => name)).toEqual(["t"]);
    expect(session.plan().sources).toMatchObject([{ id: "p", state: "down" }]);
    expect(events.some(({ type }) => type === "source-changed")).toBe(true);
  });

  test("streaming: text of a stream that dies is kept, and its calls are neither run nor in the transcript", async () => {
    let ran = 0;
    const requests: unknown[] = [];
    let dies = true;
    const session = await createAgentSession({
      tools: [makeTool("t", () => (ran += 1))],
      model: {
        rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
        async *turn({ messages }) {
          requests.push([...messages]);
          yield { type: "text-delta", text: "half" };
          if (!dies) return;
          yield { type: "tool-call", call: { id: "c", name: "t", input: {} } };
          throw new Error("connection lost");
        },
      },
    });
    expect(await session.prompt("go")).toMatchObject({ stop: "model-error", text: "half" });
    dies = false;
    await session.prompt("again");
    expect(ran).toBe(0);
    expect(JSON.stringify(requests.at(-1))).not.toContain("tool-call");
    expect(JSON.stringify(requests.at(-1))).toContain("half");
  });

  test("closing: a call that asks is cancelled and its request withdrawn", async () => {
    let isWithdrawn = false;
    const session = await createAgentSession({
      tools: [makeTool("pay")],
      policy: ASKS,
      approver: {
        ask: (_, signal) => {
          signal.addEventListener("abort", () => (isWithdrawn = true));
          return new Promise(() => undefined);
        },
      },
    });
    const result = session.dispatch({ name: "pay" });
    await settle();
    await session.close();
    expect((await result).outcome).toBe("cancelled");
    expect(isWithdrawn).toBe(true);
  });
});
