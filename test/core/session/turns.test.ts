import {
  type AgentSession,
  type AgentTool,
  createAgentSession,
  createToolRegistry,
  type Hook,
  type SessionEvent,
  type SourceSnapshot,
  type ToolOwnerRef,
} from "toolmap";
import { manualClock, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

const ready = (...tools: readonly AgentTool[]): SourceSnapshot => ({ tools, state: "ready" });

/** One source of the program's own, and a session over it. */
async function flexible(
  first: readonly AgentTool[],
  options: Parameters<typeof createAgentSession>[0] = {},
): Promise<{ readonly session: AgentSession; set(snapshot: SourceSnapshot): Promise<void> }> {
  const source = fakeSource("flexible", "custom", ready(...first));
  const session = await createAgentSession({ sources: [source], ...options });
  return {
    session,
    set: async (snapshot) => {
      source.set(snapshot);
      await settle();
    },
  };
}

describe("a turn pins definitions and names, never permission", () => {
  const old = makeTool("t", () => "old");

  test("a definition that is replaced during a turn: the pinned one runs, and the next turn has the new one", async () => {
    const { session, set } = await flexible([old]);
    const turn = session.beginTurn();
    await set(ready(makeTool("t", () => "new", { description: "another" })));
    expect(textOf((await turn.dispatch([{ name: "t" }]))[0] ?? { content: [] })).toBe("old");
    expect(textOf((await session.beginTurn().dispatch([{ name: "t" }]))[0] ?? { content: [] })).toBe("new");
  });

  test("the pinned schema checks the input that the pinned definition asked for", async () => {
    const typed = (type: string): AgentTool =>
      makeTool("t", (input) => JSON.stringify(input), {
        schema: { type: "object", properties: { a: { type } }, required: ["a"] },
      });
    const { session, set } = await flexible([typed("number")]);
    const turn = session.beginTurn();
    await set(ready(typed("object")));
    expect(await turn.dispatch([{ name: "t", input: { a: 1 } }])).toMatchObject([{ outcome: "ok" }]);
    expect(await session.beginTurn().dispatch([{ name: "t", input: { a: 1 } }])).toMatchObject([
      { outcome: "invalid-input" },
    ]);
  });

  test.each([
    ["removed", ready(), "unavailable", "removed"],
    ["taken over by another owner", undefined, "unavailable", "removed"],
    [
      "hidden",
      ready(makeTool("t", undefined, { descriptor: { availability: { kind: "env", name: "NOPE" } } })),
      "unavailable",
      "NOPE",
    ],
    ["down", { tools: [old], state: "down" } satisfies SourceSnapshot, "unavailable", "flexible"],
    [
      "outside the policy",
      ready(makeTool("t", undefined, { annotations: { destructiveHint: true } })),
      "denied",
      "profile readonly",
    ],
  ] as const)("a tool that is %s since the turn began does not run", async (how, next, outcome, reason) => {
    const ran: string[] = [];
    const pinned = makeTool("t", () => void ran.push("ran"), { annotations: { readOnlyHint: true } });
    const plugin = fakeSource("acme", "plugin", ready());
    const source = fakeSource("flexible", "custom", ready(pinned));
    const session = await createAgentSession({
      sources: [source, plugin],
      policy: how === "outside the policy" ? [{ name: "p", profile: "readonly" }] : [],
    });
    const turn = session.beginTurn();
    if (next) source.set(next);
    else {
      source.set(ready());
      plugin.set(ready(makeTool("t", undefined, { owner: { kind: "plugin", pluginId: "acme" } })));
    }
    await settle();
    const [result] = await turn.dispatch([{ name: "t" }]);
    expect(result?.outcome).toBe(outcome);
    expect(textOf(result ?? { content: [] })).toContain(reason);
    expect(ran).toEqual([]);
  });

  test("a tool that has come to need an approval since asks for it", async () => {
    const { session, set } = await flexible([old]);
    const turn = session.beginTurn();
    await set(ready(makeTool("t", () => "new", { annotations: { destructiveHint: true } })));
    expect(await turn.dispatch([{ name: "t" }])).toMatchObject([
      { outcome: "rejected", details: { approval: "no-approver" } },
    ]);
  });

  test("a tool that was added since is unavailable because it was not sent, whatever its spelling", async () => {
    const { session, set } = await flexible([old]);
    const turn = session.beginTurn();
    await set(
      ready(
        old,
        makeTool("newcomer"),
        makeTool("hidden", undefined, { descriptor: { availability: { kind: "env", name: "NOPE" } } }),
      ),
    );
    const results = await turn.dispatch(
      ["newcomer", "New-Comer", "Newcomer", "hidden", "nothing"].map((name) => ({ name })),
    );
    expect(results.map(({ outcome }) => outcome)).toEqual([
      "unavailable",
      "unknown-tool",
      "unavailable",
      "unavailable",
      "unknown-tool",
    ]);
    expect(textOf(results[0] ?? { content: [] })).toContain("not among the tools sent");
    expect((await session.beginTurn().dispatch([{ name: "newcomer" }]))[0]?.outcome).toBe("ok");
  });

  test("a source that was down when the turn began and answers again is asked again", async () => {
    const { session, set } = await flexible([old]);
    await set({ tools: [old], state: "down", message: "lost" });
    const turn = session.beginTurn();
    expect(turn.tools.map(({ name }) => name)).toEqual(["t"]);
    expect(await turn.dispatch([{ name: "t" }])).toMatchObject([{ outcome: "unavailable" }]);
    await set(ready(old));
    expect(await turn.dispatch([{ name: "t" }])).toMatchObject([{ outcome: "ok" }]);
  });

  test("active tools that change during a turn count from the next one on", async () => {
    const { session } = await flexible([old, makeTool("u")]);
    const turn = session.beginTurn();
    session.setActiveToolsByName(["u"]);
    expect(await turn.dispatch([{ name: "t" }, { name: "u" }])).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }]);
    const next = session.beginTurn();
    expect(next.tools.map(({ name }) => name)).toEqual(["u"]);
    session.setActiveToolsByName(["t"]);
    expect(await next.dispatch([{ name: "t" }, { name: "u" }])).toMatchObject([
      { outcome: "unavailable" },
      { outcome: "ok" },
    ]);
  });

  test("only the source of the tool is named when it is down", async () => {
    const mcp = (id: string): AgentTool => makeTool(`${id}__t`, undefined, { owner: { kind: "mcp", serverId: id } });
    const session = await createAgentSession({
      sources: [
        fakeSource("one", "mcp", { tools: [mcp("one")], state: "down", message: "one is away" }),
        fakeSource("two", "mcp", { tools: [mcp("two")], state: "down", message: "two is away" }),
      ],
    });
    const text = textOf(await session.dispatch({ name: "two__t" }));
    expect(text).toContain("two is away");
    expect(text).not.toContain("one is away");
  });

  test("a closed session begins no turn, and one that was begun answers its calls with cancelled", async () => {
    const { session } = await flexible([old]);
    const turn = session.beginTurn();
    await session.close();
    expect(await turn.dispatch([{ id: "a", name: "t" }])).toMatchObject([{ callId: "a", outcome: "cancelled" }]);
    expect(() => session.beginTurn()).toThrow(expect.objectContaining({ code: "session-closed" }) as Error);
  });
});

describe("the tools that are sent", () => {
  test("CST-03 a server that is away for two turns leaves the list as it was: the same array, byte for byte", async () => {
    const tools = ["b", "a"].map((name) =>
      makeTool(`srv__${name}`, undefined, { owner: { kind: "mcp", serverId: "srv" } }),
    );
    const source = fakeSource("srv", "mcp", ready(...tools));
    const model = scriptedModel([
      { calls: [{ name: "srv__a" }] },
      { calls: [{ name: "srv__a" }] },
      { text: "later" },
      { text: "again" },
    ]);
    let prompts = 0;
    const session = await createAgentSession({
      sources: [source],
      tools: [makeTool("own")],
      model,
      defaults: { ask: "never" },
      systemPrompt: (sent) => {
        prompts += 1;
        return sent.map(({ name }) => name).join();
      },
    });
    const before = session.beginTurn().tools;
    source.set({ tools, state: "down", message: "connection lost" });
    await settle();
    const { results } = await session.prompt("go");
    expect(results.map(({ outcome }) => outcome)).toEqual(["unavailable", "unavailable"]);
    expect(textOf(results[0] ?? { content: [] })).toContain("temporarily unavailable");
    source.set(ready(...tools.map((tool) => ({ ...tool, descriptor: structuredClone(tool.descriptor) }))));
    await settle();
    await session.prompt("again");
    expect(session.beginTurn().tools).toBe(before);
    expect(new Set(model.requests.map((request) => JSON.stringify(request.tools))).size).toBe(1);
    expect(prompts).toBe(1);
  });

  test("CST-06 two reconnects without a change build no system prompt and make no new list", async () => {
    const tool = makeTool("t");
    const { session, set } = await flexible([tool]);
    const before = session.beginTurn().tools;
    for (const state of ["down", "ready", "starting", "ready"] as const) {
      await set({ tools: [structuredClone(tool.descriptor)].map((descriptor) => ({ ...tool, descriptor })), state });
      expect(session.beginTurn().tools).toBe(before);
    }
  });

  test("a change of one definition makes a new list", async () => {
    const { session, set } = await flexible([makeTool("t"), makeTool("u")]);
    const before = session.beginTurn().tools;
    await set(ready(makeTool("t", undefined, { description: "changed" }), makeTool("u")));
    expect(session.beginTurn().tools).not.toBe(before);
    expect(session.beginTurn().tools.map(({ description }) => description)).toEqual(["changed", "u"]);
  });

  test("setActiveToolsByName keeps what is there, says why not for the rest, and stands through a rebuild", async () => {
    const [a, b] = [makeTool("alpha_tool"), makeTool("b")];
    const hidden = makeTool("h", undefined, { descriptor: { availability: { kind: "env", name: "NOPE" } } });
    const { session, set } = await flexible([a, b, hidden]);
    const { active, skipped } = session.setActiveToolsByName(["Alpha-Tool", "b", "b", "h", "none", "__proto__"]);
    expect(active).toEqual(["alpha_tool", "b"]);
    expect(skipped.map(({ name }) => name)).toEqual(["h", "none", "__proto__"]);
    expect(skipped[0]?.reason).toContain("NOPE");
    await set(ready(b, makeTool("c")));
    expect(session.getActiveToolNames()).toEqual(["b"]);
    await set(ready(a, b, makeTool("c")));
    expect(session.getActiveToolNames()).toEqual(["alpha_tool", "b"]);
    expect(session.setActiveToolsByName([])).toEqual({ active: [], skipped: [] });
    expect(session.beginTurn().tools).toEqual([]);
  });
});

describe("inactive, hidden and gated are three things", () => {
  const builtIn = (name: string): AgentTool => makeTool(name, () => `stock ${name}`, { owner: { kind: "core" } });

  test("inactive is visible and unavailable, hidden is neither, gated is not there, and explain tells them apart", async () => {
    const registry = createToolRegistry({
      tools: [
        makeTool("lazy"),
        makeTool("keyed", undefined, { descriptor: { availability: { kind: "env", name: "KEY" } } }),
        makeTool("forbidden"),
        makeTool("outside"),
        builtIn("read"),
      ],
    });
    const session = await createAgentSession({
      registry,
      policy: [{ name: "p", deny: ["forbidden"] }],
      disableBuiltInTools: true,
      allowedToolNames: ["lazy", "keyed", "forbidden", "read"],
    });
    session.setActiveToolsByName([]);
    const table = await Promise.all(
      ["lazy", "keyed", "forbidden", "outside", "read"].map(async (name) => {
        const { visible, active, verdict, trace } = await session.explain(name);
        const { outcome } = await session.dispatch({ name });
        return [name, visible, active, verdict, trace.find((step) => step.verdict !== "pass")?.stage, outcome];
      }),
    );
    expect(table).toEqual([
      ["lazy", true, false, "deny", "gate", "unavailable"],
      ["keyed", false, false, "deny", "availability", "unavailable"],
      ["forbidden", false, false, "deny", "policy", "denied"],
      ["outside", false, false, "deny", "gate", "unknown-tool"],
      ["read", false, false, "deny", "gate", "unknown-tool"],
    ]);
    const messageOf = async (name: string): Promise<string> =>
      (await session.explain(name)).trace.find(({ stage }) => stage === "gate")?.message ?? "";
    expect(await messageOf("read")).toContain("disableBuiltInTools");
    expect(await messageOf("outside")).toContain("allowedToolNames");
    expect([...session.tools.keys()]).toEqual(["lazy", "keyed", "forbidden"]);
  });

  test("a tool of the program's named like a built-in survives disableBuiltInTools, and the built-ins go", async () => {
    const core = fakeSource("core", "core", ready(builtIn("read"), builtIn("write")));
    const session = await createAgentSession({
      sources: [core],
      tools: [makeTool("read", () => "ours")],
      disableBuiltInTools: true,
    });
    expect([...session.tools.keys()]).toEqual(["read"]);
    expect(textOf(await session.dispatch({ name: "read" }))).toBe("ours");
    expect((await session.dispatch({ name: "write" })).outcome).toBe("unknown-tool");
    expect(textOf(await session.dispatch({ name: "write" }))).toContain("disableBuiltInTools");
    expect(session.plan().hidden).toEqual([]);
  });

  test("allowedToolNames reads names by their canonical spelling and lets nothing else in, newcomers neither", async () => {
    const { session, set } = await flexible([makeTool("read_file"), makeTool("send")], {
      allowedToolNames: ["Read-File", "later"],
    });
    expect([...session.tools.keys()]).toEqual(["read_file"]);
    await set(ready(makeTool("read_file"), makeTool("later"), makeTool("other")));
    expect([...session.tools.keys()]).toEqual(["read_file", "later"]);
    expect(textOf(await session.dispatch({ name: "send" }))).toContain("allowedToolNames");
  });
});

describe("session.tools", () => {
  test("a bound tool refuses once its definition has changed, and works while it is only renewed", async () => {
    const { session, set } = await flexible([makeTool("t", () => "old")]);
    const bound = session.tools.get("t");
    expect(session.tools).toBe(session.tools);
    await set(ready(makeTool("t", () => "renewed")));
    expect(await bound?.execute({})).toMatchObject({ outcome: "ok", content: [{ text: "renewed" }] });
    await set(ready(makeTool("t", () => "new", { description: "changed" })));
    expect(await bound?.execute({})).toMatchObject({ outcome: "unavailable" });
    expect(await session.tools.get("t")?.execute({})).toMatchObject({ outcome: "ok", content: [{ text: "new" }] });
    await set(ready());
    expect(await bound?.execute({})).toMatchObject({ outcome: "unknown-tool" });
  });

  test("a bound tool is dispatch by name: check, hooks, policy, id and abort as anywhere", async () => {
    const seen: string[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("t", undefined, { schema: { type: "object", required: ["a"] } }),
        makeTool("d"),
        makeTool("h", undefined, { descriptor: { availability: { kind: "env", name: "NOPE" } } }),
        makeTool("w", () => new Promise(() => undefined)),
      ],
      policy: [{ name: "p", deny: ["d"] }],
      hooks: [{ name: "see", beforeToolCall: ({ call, caller }) => void seen.push(`${call.id} ${caller.kind}`) }],
    });
    const run = (name: string, input: unknown): Promise<unknown> =>
      session.tools.get(name)?.execute(input, { callId: `my ${name}` }) ?? Promise.reject(new Error(name));
    expect(await run("t", {})).toMatchObject({ outcome: "invalid-input" });
    expect(await run("t", { a: 1 })).toMatchObject({ outcome: "ok" });
    expect(await run("d", {})).toMatchObject({ outcome: "denied" });
    expect(await run("h", {})).toMatchObject({ outcome: "unavailable" });
    expect(seen).toEqual(["my t#2 program"]);
    const controller = new AbortController();
    const waiting = session.tools.get("w")?.execute({}, { signal: controller.signal });
    await settle();
    controller.abort();
    expect(await waiting).toMatchObject({ outcome: "cancelled" });
  });
});

describe("ready", () => {
  const starting = (id: string, start: () => Promise<void>, after: SourceSnapshot = ready()) => {
    const source = fakeSource(id, "custom", { tools: [], state: "starting" });
    return {
      ...source,
      start: async () => {
        await start();
        source.set(after);
      },
    };
  };

  test("ready waits for every source to have started, and a session without sources is ready at once", async () => {
    expect(await (await createAgentSession()).ready()).toEqual([]);
    const opened = gate();
    const session = await createAgentSession({
      sources: [starting("slow", () => opened.opened, ready(makeTool("t")))],
    });
    let isReady = false;
    const waiting = session.ready().then((sources) => ((isReady = true), sources));
    await settle();
    expect([isReady, session.plan().sources[0]?.state]).toEqual([false, "starting"]);
    opened.open();
    expect(await waiting).toEqual([{ id: "slow", state: "ready" }]);
    expect(session.beginTurn().tools.map(({ name }) => name)).toEqual(["t"]);
  });

  test("ready with a timeout says what has come to pass: one ready, one down, one that hangs", async () => {
    const clock = manualClock();
    const session = await createAgentSession({
      ports: { clock },
      sources: [
        starting("fine", () => Promise.resolve(), ready(makeTool("t"))),
        starting("broken", () => Promise.reject(new Error("no such program"))),
        starting("hangs", () => new Promise(() => undefined)),
      ],
    });
    const waiting = session.ready({ timeoutMs: 1000 });
    await clock.advance(1000);
    expect(await waiting).toEqual([
      { id: "fine", state: "ready" },
      { id: "broken", state: "down", message: "it did not start: no such program" },
      { id: "hangs", state: "starting" },
    ]);
    expect((await session.dispatch({ name: "t" })).outcome).toBe("ok");
    expect(clock.pending).toBe(0);
  });

  test("ready leaves no timer behind when the sources were faster", async () => {
    const clock = manualClock();
    const session = await createAgentSession({ ports: { clock }, sources: [starting("a", () => Promise.resolve())] });
    expect(await session.ready({ timeoutMs: 60_000 })).toEqual([{ id: "a", state: "ready" }]);
    expect(clock.pending).toBe(0);
  });

  test("ready ends when the session is closed before its sources have started", async () => {
    const session = await createAgentSession({ sources: [starting("hangs", () => new Promise(() => undefined))] });
    const waiting = session.ready();
    await session.close();
    expect(await waiting).toMatchObject([{ id: "hangs" }]);
  });

  test("a session whose creation fails closes the sources that it had started", async () => {
    let closed = 0;
    const source = {
      ...fakeSource("s", "custom", ready(makeTool("t"))),
      close: async () => {
        closed += 1;
      },
    };
    await expect(
      createAgentSession({ sources: [source], policy: [{ name: "p", deny: ["tt"] }] }),
    ).rejects.toMatchObject({ code: "bad-policy" });
    await expect(
      createAgentSession({
        sources: [source],
        ports: { lock: { open: () => Promise.reject(new Error("taken")) } },
      }),
    ).rejects.toThrow("taken");
    expect(closed).toBe(2);
  });
});

describe("events of a rebuild", () => {
  const kinds = ["registry-rebuilt", "plan-changed", "source-changed"];
  const record = (session: AgentSession): SessionEvent[] => {
    const events: SessionEvent[] = [];
    session.observe((event) => kinds.includes(event.type) && events.push(event));
    return events;
  };

  test("each change is told exactly once: rebuilt, what the plan gained and lost, which source", async () => {
    const { session, set } = await flexible([makeTool("a")]);
    const events = record(session);
    await set(ready(makeTool("a"), makeTool("b")));
    expect(events).toMatchObject([
      { type: "registry-rebuilt", revision: session.refreshToolRegistry().revision },
      { type: "plan-changed", added: ["b"], removed: [] },
    ]);
    events.length = 0;
    await set({ tools: [makeTool("b")], state: "down", message: "gone" });
    expect(events).toMatchObject([
      { type: "registry-rebuilt" },
      { type: "source-changed", id: "flexible", state: "down", message: "gone" },
      { type: "plan-changed", added: [], removed: ["a"] },
    ]);
    events.length = 0;
    session.refreshToolRegistry();
    session.plan();
    await settle();
    expect(events).toEqual([]);
  });

  test("several changes in one tick are one rebuild", async () => {
    const source = fakeSource("s", "custom", ready());
    const session = await createAgentSession({ sources: [source] });
    const events = record(session);
    for (const name of ["a", "b", "c"]) source.set(ready(makeTool(name)));
    await settle();
    expect(events.map(({ type }) => type)).toEqual(["registry-rebuilt", "plan-changed"]);
  });

  test("who begins to observe after changes that nobody saw is told the next change and no old one", async () => {
    const { session, set } = await flexible([makeTool("a")]);
    await set(ready(makeTool("a"), makeTool("b")));
    await set({ tools: [makeTool("a"), makeTool("b")], state: "down" });
    const events = record(session);
    await set({ tools: [makeTool("a"), makeTool("b"), makeTool("c")], state: "down" });
    expect(events).toMatchObject([{ type: "registry-rebuilt" }, { type: "plan-changed", added: ["c"], removed: [] }]);
    events.length = 0;
    await set(ready(makeTool("a"), makeTool("b"), makeTool("c")));
    expect(events).toMatchObject([{ type: "registry-rebuilt" }, { type: "source-changed", state: "ready" }]);
  });

  test("parent and child are each told once, a closed session is told nothing", async () => {
    const { session, set } = await flexible([makeTool("a")]);
    const child = await session.child({ policy: [{ name: "own", allow: ["a"] }] });
    const [own, childs] = [record(session), record(child)];
    await set(ready(makeTool("a"), makeTool("b")));
    expect(own.map(({ type }) => type)).toEqual(["registry-rebuilt", "plan-changed"]);
    expect(childs.map(({ type }) => type)).toEqual(["registry-rebuilt"]);
    await child.close();
    await set(ready(makeTool("a")));
    expect([own.length, childs.length]).toEqual([4, 1]);
  });
});

describe("the loop guard in a loop of one's own", () => {
  test("DSP-05 repeats are noticed at the third and refused at the sixth, for any spelling of the same input", async () => {
    let ran = 0;
    const session = await createAgentSession({ tools: [makeTool("t", () => void (ran += 1))] });
    const notices: string[] = [];
    session.observe((event) => event.type === "loop-noticed" && notices.push(event.message));
    const inputs = ['{"a":1,"b":2}', '{"b":2,"a":1}', ' { "a": 1, "b": 2 } '];
    const outcomes: unknown[] = [];
    for (let at = 0; at < 7; at += 1) {
      const [result] = await session.beginTurn().dispatch([{ name: "t", input: inputs[at % 3] }]);
      outcomes.push(result?.outcome);
    }
    expect(outcomes).toEqual(["ok", "ok", "ok", "ok", "ok", "blocked", "blocked"]);
    expect([ran, notices.length]).toEqual([5, 5]);
  });

  test("inputs that cannot be compared are no reason to fail: as deep as text goes, or in a circle", async () => {
    const session = await createAgentSession({ tools: [makeTool("t")] });
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const twin: Record<string, unknown> = {};
    twin["self"] = twin;
    const deep = (): string => `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const calls = [deep, () => ` ${deep()}`, () => circle, () => twin, () => circle, () => circle];
    for (let round = 0; round < 2; round += 1) {
      for (const input of calls) {
        const results = await session.beginTurn().dispatch([{ name: "t", input: input() }]);
        expect(results).toHaveLength(1);
      }
    }
    expect((await session.dispatch({ name: "t" })).outcome).toBe("ok");
  });
});

describe("every kind of owner passes one pipeline", () => {
  const owners: readonly ToolOwnerRef[] = [
    { kind: "core" },
    { kind: "plugin", pluginId: "acme" },
    { kind: "channel", channelId: "mail" },
    { kind: "mcp", serverId: "srv" },
    { kind: "custom" },
  ];
  const got: Record<string, unknown> = {};
  const sources = () =>
    owners.map((owner) =>
      fakeSource(
        `source of ${owner.kind}`,
        owner.kind,
        ready(
          makeTool(`${owner.kind}_tool`, (input) => void (got[owner.kind] = input), {
            owner,
            schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          }),
        ),
      ),
    );

  test("HOK-05 a rewriting hook fires once for each kind, nested and child calls too, and each executor has its input", async () => {
    const seen: string[] = [];
    const hook: Hook = {
      name: "rewrite",
      beforeToolCall: ({ call, input }) => {
        seen.push(call.name);
        return call.name === "outer" ? undefined : { input: { ...input, n: "7" as unknown as number } };
      },
    };
    const session = await createAgentSession({
      sources: sources(),
      tools: [makeTool("outer", (input, { dispatch }) => dispatch({ name: String(input["name"]), input: { n: 1 } }))],
      hooks: [hook],
      defaults: { ask: "never" },
    });
    const child = await session.child();
    for (const { kind } of owners) {
      const name = `${kind}_tool`;
      const ways = {
        dispatch: () => session.dispatch({ name, input: { n: 1 } }),
        turn: async () => (await session.beginTurn().dispatch([{ name, input: { n: 1 } }]))[0],
        bound: () => session.tools.get(name)?.execute({ n: 1 }),
        nested: () => session.dispatch({ name: "outer", input: { name } }),
        child: () => child.dispatch({ name, input: { n: 1 } }),
        "nested in a child": () => child.dispatch({ name: "outer", input: { name } }),
      };
      for (const [way, call] of Object.entries(ways)) {
        seen.length = 0;
        got[kind] = undefined;
        expect(await call(), `${kind} by ${way}`).toMatchObject({ outcome: "ok" });
        expect(got[kind], `${kind} by ${way}`).toEqual({ n: 7 });
        expect(seen).toEqual(way.startsWith("nested") ? ["outer", name] : [name]);
      }
    }
  });

  test("ARG-05 null for what is optional is absent, for every kind; for what is required it is refused", async () => {
    const schema = {
      type: "object",
      properties: { term: { type: "string" }, max: { type: "number", default: 10 }, tag: { type: "string" } },
      required: ["term"],
    } as const;
    const inputs: unknown[] = [];
    const session = await createAgentSession({
      sources: owners.map((owner) =>
        fakeSource(
          owner.kind,
          owner.kind,
          ready(makeTool(`${owner.kind}_find`, (input) => void inputs.push(input), { owner, schema })),
        ),
      ),
      defaults: { ask: "never" },
    });
    for (const { kind } of owners) {
      inputs.length = 0;
      const call = (input: unknown) => session.beginTurn().dispatch([{ name: `${kind}_find`, input }]);
      expect(await call({ term: "boats", max: null, tag: null })).toMatchObject([{ outcome: "ok" }]);
      expect(inputs).toEqual([{ term: "boats", max: 10 }]);
      expect(await call({ term: null })).toMatchObject([{ outcome: "invalid-input" }]);
    }
  });

  test("RES-01 five megabytes are cut alike whoever returns them: head and tail kept, the real size said", async () => {
    const text = `head${"x".repeat(5_000_000)}tail`;
    const session = await createAgentSession({
      sources: owners.map((owner) =>
        fakeSource(owner.kind, owner.kind, ready(makeTool(`${owner.kind}_big`, () => text, { owner }))),
      ),
      defaults: { ask: "never" },
    });
    const texts = await Promise.all(
      owners.map(async ({ kind }) => textOf(await session.dispatch({ name: `${kind}_big` }))),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]?.length).toBeLessThanOrEqual(64 * 1024 + 500);
    expect(texts[0]?.startsWith("head")).toBe(true);
    expect(texts[0]).toContain("tail");
  });
});
