import {
  type AgentSession,
  type ApprovalRequest,
  createAgentSession,
  createToolRegistry,
  type Hook,
  type PolicyLayer,
  type SessionEvent,
  type SessionOptions,
} from "toolmap";
import { manualClock, memoryPorts, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

const FILES = [
  makeTool("read", () => "text", { annotations: { readOnlyHint: true } }),
  makeTool("write", () => "written"),
  makeTool("send", () => "sent"),
];

const visibleOf = (session: AgentSession): readonly string[] =>
  session.plan().visible.map(({ descriptor }) => descriptor.name);

const outcomesOf = async (session: AgentSession, names: readonly string[]): Promise<readonly string[]> => {
  const results = await session.beginTurn().dispatch(names.map((name) => ({ name })));
  return results.map(({ outcome }) => outcome);
};

const parentWith = (policy: readonly PolicyLayer[], more: SessionOptions = {}): Promise<AgentSession> =>
  createAgentSession({ tools: FILES, policy, ...more });

describe("what a child has of its parent", () => {
  test("child shows the very definitions of its parent's one registry, now and after a rebuild", async () => {
    const source = fakeSource("acme", "custom", { tools: FILES, state: "ready" });
    const parent = await createAgentSession({ sources: [source] });
    const child = await parent.child();
    expect(child.getAllTools().every((descriptor, at) => descriptor === parent.getAllTools()[at])).toBe(true);
    source.set({ tools: [...FILES, makeTool("late")], state: "ready" });
    await settle();
    expect(visibleOf(child)).toContain("late");
    expect(child.refreshToolRegistry()).toBe(parent.refreshToolRegistry());
  });

  test("NAM-09 a replacement of a built-in runs in the parent and in the child, one entry, on record", async () => {
    const core = fakeSource("core", "core", {
      tools: [makeTool("read", () => "stock", { owner: { kind: "core" } })],
      state: "ready",
    });
    const parent = await createAgentSession({
      sources: [core],
      tools: [makeTool("read", () => "ours", { rest: { override: true } })],
    });
    const child = await parent.child();
    for (const session of [parent, child, await child.child()]) {
      expect(textOf(await session.dispatch({ name: "read" }))).toBe("ours");
      const plan = session.plan();
      expect(plan.visible.map(({ descriptor }) => [descriptor.name, descriptor.owner.kind])).toEqual([
        ["read", "custom"],
      ]);
      expect(plan.warnings.map(({ code }) => code)).toContain("name-overridden");
      expect((await session.explain("read")).trace[0]?.message).toContain("in place of the one of core");
    }
  });

  test("a parent's deny, ask and allow bind its descendants, its denySelf binds nobody but itself", async () => {
    const parent = await parentWith([
      { name: "p", deny: ["write"], denySelf: ["read"], ask: ["send"], allow: ["read", "write", "send"] },
    ]);
    const child = await parent.child();
    const grandchild = await child.child();
    expect(await outcomesOf(parent, ["read", "write", "send"])).toEqual(["denied", "denied", "rejected"]);
    for (const session of [child, grandchild]) {
      expect(await outcomesOf(session, ["read", "write", "send"])).toEqual(["ok", "denied", "rejected"]);
      expect(visibleOf(session)).toEqual(["read", "send"]);
    }
  });

  test("a child's own layers never undo a deny, an ask or an allow of its parent", async () => {
    const parent = await parentWith([{ name: "p", deny: ["write"], ask: ["send"], allow: ["write", "send"] }]);
    const child = await parent.child({
      policy: [{ name: "mine", profile: "full", allow: ["*"], approve: ["*"] }],
      defaults: { ask: "never" },
    });
    expect(await outcomesOf(child, ["read", "write", "send"])).toEqual(["denied", "denied", "rejected"]);
  });

  test("a child's own deny binds the child and its own children, never the parent or a sibling", async () => {
    const parent = await parentWith([]);
    const child = await parent.child({ policy: [{ name: "p", deny: ["write"], denySelf: ["send"] }] });
    const [grandchild, sibling] = [await child.child(), await parent.child()];
    expect(visibleOf(child)).toEqual(["read"]);
    expect(visibleOf(grandchild)).toEqual(["read", "send"]);
    for (const session of [parent, sibling]) expect(visibleOf(session)).toEqual(["read", "send", "write"]);
  });

  test("layers of one name in parent, child and grandchild stand side by side", async () => {
    const parent = await parentWith([{ name: "p", deny: ["write"] }]);
    const child = await parent.child({ policy: [{ name: "p", deny: ["send"] }] });
    const grandchild = await child.child({ policy: [{ name: "p", deny: ["read"] }] });
    const messages = await Promise.all(
      ["write", "send", "read"].map(async (name) => textOf(await grandchild.dispatch({ name }))),
    );
    expect(messages.map((text) => /of layer "([^"]*)"/.exec(text)?.[1])).toEqual(["parent parent p", "parent p", "p"]);
  });

  test("the places of inherited rules stay right through the generations", async () => {
    const placed = (file: string, lines: Readonly<Record<string, number>>): SessionOptions["ports"] => ({
      places: { placeOf: (layer, list, index) => `${file}:${lines[`${layer} ${list} ${index}`] ?? "?"}` },
    });
    const parent = await parentWith([{ name: "p", deny: ["send", "write"] }], {
      ports: placed("parent.jsonc", { "p deny 1": 12 }) ?? {},
    });
    const child = await parent.child({
      policy: [{ name: "p", deny: ["send"] }],
      ports: placed("child.jsonc", { "p deny 0": 7 }) ?? {},
    });
    const grandchild = await child.child({ policy: [{ name: "p", deny: ["read"] }] });
    const sourceOf = async (session: AgentSession, name: string): Promise<string | undefined> =>
      (await session.explain(name)).trace.find(({ stage }) => stage === "policy")?.source;
    expect(await sourceOf(child, "write")).toBe("parent.jsonc:12");
    expect(await sourceOf(grandchild, "write")).toBe("parent.jsonc:12");
    expect(await sourceOf(await (await createTwin()).child(), "send")).toBe("child.jsonc:7");
    expect(await sourceOf(grandchild, "read")).toBeUndefined();

    function createTwin(): Promise<AgentSession> {
      return parentWith([{ name: "p", deny: ["send"] }], { ports: placed("child.jsonc", { "p deny 0": 7 }) ?? {} });
    }
  });

  test("hooks, approver, availability, app, caller, limits and gates are inherited, the child's hooks run after", async () => {
    const order: string[] = [];
    const hook = (name: string): Hook => ({ name, beforeToolCall: () => void order.push(name) });
    const asked: ApprovalRequest[] = [];
    const seen: unknown[] = [];
    const parent = await createAgentSession({
      id: "boss",
      tools: [
        makeTool("who", (_, { app, caller }) => void seen.push(app, caller)),
        makeTool("keyed", undefined, { descriptor: { availability: { kind: "env", name: "KEY" } } }),
        makeTool("extra"),
        makeTool("long", () => "x".repeat(5000)),
      ],
      policy: [{ name: "p", ask: ["who"] }],
      hooks: [hook("parent's")],
      approver: { ask: async (request) => (asked.push(request), { answer: "approved" }) },
      availability: { env: { KEY: "1" } },
      app: { tenant: 7 },
      caller: { id: "ann" },
      limits: { resultBytes: 1000 },
      allowedToolNames: ["who", "keyed", "long"],
    });
    const child = await parent.child({ id: "kid", hooks: [hook("child's")], limits: { turns: 3 } });
    expect(visibleOf(child)).toEqual(["keyed", "long", "who"]);
    expect(await outcomesOf(child, ["who"])).toEqual(["ok"]);
    expect(order).toEqual(["parent's", "child's"]);
    expect(asked).toHaveLength(1);
    expect(seen).toEqual([{ tenant: 7 }, { kind: "model", id: "ann" }]);
    expect(textOf(await child.dispatch({ name: "long" })).length).toBeLessThan(2000);
  });

  test("a child's gates narrow its parent's, whatever the spelling of a name", async () => {
    const parent = await createAgentSession({
      tools: [makeTool("read_file"), makeTool("write_file"), makeTool("send")],
      allowedToolNames: ["read_file", "Write-File"],
    });
    expect(visibleOf(await parent.child({ allowedToolNames: ["Read-File", "send"] }))).toEqual(["read_file"]);
    expect(visibleOf(await parent.child({ allowedToolNames: [] }))).toEqual([]);
    expect(visibleOf(await parent.child())).toEqual(["read_file", "write_file"]);
  });
});

describe("when a child's calls ask", () => {
  test.each([
    ["never", "never", "allow"],
    ["never", "always", "ask"],
    ["always", "never", "ask"],
    ["writes", "never", "ask"],
    [undefined, "never", "ask"],
    ["always", undefined, "ask"],
  ] as const)(
    "a parent that asks %s and a child that asks %s: the stricter counts",
    async (parentAsks, childAsks, verdict) => {
      const asks = (ask: typeof parentAsks | typeof childAsks): object => (ask ? { defaults: { ask } } : {});
      const plugin = makeTool("p", undefined, { owner: { kind: "plugin", pluginId: "acme" } });
      const parent = await createAgentSession({
        sources: [fakeSource("acme", "plugin", { tools: [plugin], state: "ready" })],
        ...asks(parentAsks),
      });
      const child = await parent.child(asks(childAsks));
      expect((await child.explain("p")).verdict).toBe(verdict);
      await parent.close();
    },
  );
});

describe("what a child has for itself", () => {
  test("active tools are the child's own, in both directions", async () => {
    const parent = await parentWith([]);
    parent.setActiveToolsByName(["read"]);
    const child = await parent.child();
    expect(child.getActiveToolNames()).toEqual(["read", "send", "write"]);
    child.setActiveToolsByName(["send"]);
    expect([parent.getActiveToolNames(), child.getActiveToolNames()]).toEqual([["read"], ["send"]]);
    expect((await child.dispatch({ name: "read" })).outcome).toBe("unavailable");
    expect((await parent.dispatch({ name: "read" })).outcome).toBe("ok");
  });

  test("the transcript and the model are the child's own", async () => {
    const [model, own] = [scriptedModel([{ text: "parent" }, { text: "again" }]), scriptedModel([{ text: "child" }])];
    const parent = await parentWith([], { model });
    await parent.prompt("hello");
    const child = await parent.child({ model: own });
    expect((await child.prompt("do this")).text).toBe("child");
    expect(own.requests[0]?.messages).toEqual([{ role: "user", content: [{ type: "text", text: "do this" }] }]);
    await parent.prompt("and?");
    expect(model.requests[1]?.messages).toHaveLength(3);
    const silent = await parent.child();
    expect(() => silent.prompt("x")).toThrow(expect.objectContaining({ code: "no-model" }) as Error);
  });

  test("hook state, ids and events are the child's own", async () => {
    const hooks: Hook[] = [
      {
        name: "count",
        beforeToolCall: (_, { state }) => state.set("calls", Number(state.get("calls") ?? 0) + 1),
        afterToolCall: (_, { state }) => ({ content: [{ type: "text", text: String(state.get("calls")) }] }),
      },
    ];
    const parent = await parentWith([], { hooks });
    const child = await parent.child();
    const events: SessionEvent[] = [];
    parent.observe((event) => events.push(event));
    await parent.dispatch({ id: "a", name: "read" });
    events.length = 0;
    const result = await child.dispatch({ id: "a", name: "read" });
    expect([textOf(result), result.callId]).toEqual(["1", "a"]);
    expect(events).toEqual([]);
  });

  test("DSP-12 what a child's model was not shown does not run, what it was shown does", async () => {
    const model = scriptedModel([
      { calls: [{ name: "write" }, { name: "read" }, { name: "drop_table" }] },
      { text: "done" },
    ]);
    const ran: string[] = [];
    const parent = await createAgentSession({
      tools: ["read", "write"].map((name) => makeTool(name, () => void ran.push(name))),
    });
    const child = await parent.child({ model, policy: [{ name: "only", allow: ["read"] }] });
    const { results } = await child.prompt("go");
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([["read"], ["read"]]);
    expect(results.map(({ outcome }) => outcome)).toEqual(["denied", "ok", "unknown-tool"]);
    expect(ran).toEqual(["read"]);
    expect(textOf(results[2] ?? { content: [] })).not.toContain("write");
  });

  test("POL-19 a read-only parent's child writes neither freshly made, nor reused, nor in the background", async () => {
    const ran: string[] = [];
    const tools = ["read", "write"].map((name) =>
      makeTool(name, () => void ran.push(name), { annotations: { readOnlyHint: name === "read" } }),
    );
    const call = { calls: [{ name: "write" }] };
    const model = scriptedModel([call, { text: "1" }, call, { text: "2" }, call, { text: "3" }]);
    const parent = await createAgentSession({
      tools: [
        ...tools,
        makeTool("spawn", async () => {
          background = (await parent.child(options)).prompt("in the background");
          return "started";
        }),
      ],
      policy: [{ name: "mode", profile: "readonly", alsoAllow: ["spawn"] }],
    });
    const options: SessionOptions = { model, policy: [{ name: "own", allow: ["write", "read"], deny: ["read"] }] };
    let background: PromiseLike<{ readonly results: readonly { readonly outcome: string }[] }> | undefined;
    const child = await parent.child(options);
    const fresh = await child.prompt("write");
    const reused = await child.prompt("write again");
    expect((await parent.dispatch({ name: "spawn" })).outcome).toBe("ok");
    for (const { results } of [fresh, reused, await (background ?? fresh)]) {
      expect(results.map(({ outcome }) => outcome)).toEqual(["denied"]);
    }
    expect((await child.dispatch({ name: "read" })).outcome).toBe("denied");
    expect(ran).toEqual([]);
    model.assertPlayed();
  });

  test("the resource table is the process's: parent and child wait for each other's keys", async () => {
    const first = gate();
    const started: string[] = [];
    const tool = makeTool(
      "edit",
      async (input) => {
        started.push(String(input["who"]));
        if (input["who"] === "parent") await first.opened;
      },
      { rest: { resources: () => [{ key: "file:///children-share-this", mode: "write" }] } },
    );
    const parent = await createAgentSession({ tools: [tool] });
    const child = await parent.child();
    const both = [
      parent.dispatch({ name: "edit", input: { who: "parent" } }),
      child.dispatch({ name: "edit", input: { who: "child" } }),
    ];
    await settle();
    expect(started).toEqual(["parent"]);
    first.open();
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    expect(started).toEqual(["parent", "child"]);
  });
});

describe("plan of a child", () => {
  test("warnings name inherited layers as the parent's and say nothing twice", async () => {
    const parent = await parentWith([{ name: "p", allow: ["read", "reed"] }]);
    const child = await parent.child({ policy: [{ name: "p", allow: ["read", "sennd"] }] });
    const messages = child.plan().warnings.map(({ message }) => message);
    expect(messages.filter((message) => message.includes("reed"))).toEqual([
      expect.stringContaining('Layer "parent p", allow'),
    ]);
    expect(messages.filter((message) => message.includes("sennd"))).toEqual([
      expect.stringContaining('Layer "p", allow'),
    ]);
    expect(new Set(messages).size).toBe(messages.length);
  });

  test("a typo in the child's own deny stops the child and leaves the parent as it was", async () => {
    const parent = await parentWith([]);
    await expect(parent.child({ policy: [{ name: "own", deny: ["wriet"] }] })).rejects.toMatchObject({
      code: "bad-policy",
      fix: expect.stringContaining("write") as unknown,
    });
    expect(visibleOf(parent)).toEqual(["read", "send", "write"]);
  });

  test("an inherited deny whose tool has gone since still lets a child be made, and warns", async () => {
    const source = fakeSource("own", "custom", { tools: FILES, state: "ready" });
    const parent = await createAgentSession({ sources: [source], policy: [{ name: "p", deny: ["send"] }] });
    source.set({ tools: FILES.filter(({ descriptor }) => descriptor.name !== "send"), state: "ready" });
    await settle();
    const child = await parent.child();
    expect(child.plan().warnings.map(({ code }) => code)).toContain("policy-unknown-entry");
    source.set({ tools: FILES, state: "ready" });
    await settle();
    expect((await child.dispatch({ name: "send" })).outcome).toBe("denied");
  });
});

describe("the end of a parent", () => {
  const hanging = (log: string[]) =>
    makeTool("wait", (input, { signal }) => {
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          log.push(String(input["who"]));
          reject(signal.reason);
        });
      });
    });

  test.each(["abort", "close"] as const)("%s ends the calls of all generations, children first", async (end) => {
    const log: string[] = [];
    const parent = await createAgentSession({ tools: [hanging(log)] });
    const child = await parent.child();
    const grandchild = await child.child();
    const calls = [parent, child, grandchild].map((session, at) =>
      session.dispatch({ name: "wait", input: { who: `generation ${at}` } }),
    );
    await settle();
    await parent[end]();
    expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled", "cancelled"]);
    expect(log).toEqual(["generation 2", "generation 1", "generation 0"]);
    const after = [parent, child, grandchild].map((session) => session.dispatch({ id: "late", name: "none" }));
    expect((await Promise.all(after)).map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 3 }, () => (end === "abort" ? "unknown-tool" : "cancelled")),
    );
  });

  test("abort ends a child's prompt, and the child can be prompted again", async () => {
    const log: string[] = [];
    const parent = await createAgentSession({ tools: [hanging(log)] });
    const child = await parent.child({
      model: scriptedModel([{ calls: [{ name: "wait" }] }, { text: "again" }]),
    });
    const run = child.prompt("wait");
    await settle();
    parent.abort();
    expect(await run).toMatchObject({ stop: "cancelled", results: [{ outcome: "cancelled" }] });
    expect((await child.prompt("go on")).text).toBe("again");
  });

  test("close waits one grace for all generations at once and names everybody who is late", async () => {
    const clock = manualClock();
    const stubborn = makeTool("stubborn", () => new Promise(() => undefined));
    const parent = await createAgentSession({ tools: [stubborn], ports: { clock }, limits: { graceMs: 1000 } });
    const child = await parent.child();
    const grandchild = await child.child();
    const events: string[] = [];
    for (const [name, session] of Object.entries({ parent, child, grandchild })) {
      session.observe(({ type }) => void (type === "session-closed" && events.push(name)));
    }
    const calls = [parent, child, grandchild].map((session, at) =>
      session.dispatch({ id: `c${at}`, name: "stubborn" }),
    );
    await settle();
    const closed = parent.close();
    await settle();
    expect((await Promise.all(calls)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled", "cancelled"]);
    await clock.advance(1000);
    await settle();
    expect(events).toEqual(["grandchild", "child", "parent"]);
    expect((await closed).late.map(({ callId }) => callId).sort()).toEqual(["c0", "c1", "c2"]);
  });

  test("a closed parent makes no child, also when it closes while one is being made", async () => {
    const parent = await parentWith([]);
    await parent.close();
    await expect(parent.child()).rejects.toMatchObject({ code: "session-closed" });

    const ports = memoryPorts();
    const opened = gate();
    let locks = 0;
    const slow = await createAgentSession({
      tools: FILES,
      ports: {
        ...ports,
        lock: {
          open: async (id) => {
            locks += 1;
            if (locks > 1) await opened.opened;
            const lease = await ports.lock.open(id);
            return { ...lease, release: async () => ((locks -= 1), lease.release()) };
          },
        },
      },
    });
    const child = slow.child();
    const refused = expect(child).rejects.toMatchObject({ code: "session-closed" });
    await settle();
    const closed = slow.close();
    opened.open();
    await refused;
    await closed;
    expect(locks).toBe(0);
  });

  test("a child that was closed is forgotten by its parent, its shared registry lives on", async () => {
    const registry = createToolRegistry({ tools: FILES });
    const parent = await createAgentSession({ registry });
    const clock = manualClock();
    const child = await parent.child({ ports: { clock }, limits: { graceMs: 1 } });
    await child.close();
    expect((await child.dispatch({ name: "read" })).outcome).toBe("cancelled");
    expect((await parent.dispatch({ name: "read" })).outcome).toBe("ok");
    await parent.close();
    expect((await (await createAgentSession({ registry })).dispatch({ name: "read" })).outcome).toBe("ok");
  });

  test("what was late in a child that closed long ago is not named again by the parent's close", async () => {
    const clock = manualClock();
    const parent = await createAgentSession({
      tools: [makeTool("stubborn", () => new Promise(() => undefined))],
      ports: { clock },
      limits: { graceMs: 10 },
    });
    const child = await parent.child();
    void child.dispatch({ name: "stubborn" });
    await settle();
    const closed = child.close();
    await settle();
    await clock.advance(10);
    expect((await closed).late).toHaveLength(1);
    expect((await parent.close()).late).toEqual([]);
  });
});
