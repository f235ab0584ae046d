import { createAgentSession, defineTool, type Hook, type SessionEvent } from "toolmap";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

const echo = makeTool("echo", ({ text }) => String(text), {
  schema: { type: "object", properties: { text: { type: "string" }, times: { type: "integer" } }, required: ["text"] },
});

describe("dispatch", () => {
  test("answers the three-line program with no policy and no approver", async () => {
    const weather = defineTool({
      name: "weather",
      description: "The weather of a city.",
      input: z.object({ city: z.string() }),
      execute: async ({ city }) => `Sunny in ${city}`,
    });
    const session = await createAgentSession({ tools: [weather] });
    const result = await session.dispatch({ name: "weather", input: { city: "Oslo" } });
    expect(result).toMatchObject({
      name: "weather",
      outcome: "ok",
      isError: false,
      content: [{ type: "text", text: "Sunny in Oslo" }],
    });
    expect(Object.isFrozen(result) && Object.isFrozen(result.content)).toBe(true);
  });

  test("DSP-07 an unknown name suggests the nearest visible ones, bounded in length", async () => {
    const session = await createAgentSession({
      tools: [
        makeTool("read_file"),
        makeTool("list_orders"),
        makeTool("secret_orders", undefined, { descriptor: { availability: { kind: "env", name: "NOPE" } } }),
      ],
    });
    const wrong = await session.dispatch({ name: "fetch_orders" });
    expect(wrong.outcome).toBe("unknown-tool");
    expect(textOf(wrong)).toContain("list_orders");
    expect(textOf(wrong)).not.toContain("secret_orders");
    const huge = await session.dispatch({ name: `\u0000${"x".repeat(100_000)}` });
    expect(huge.outcome).toBe("unknown-tool");
    expect(textOf(huge).length).toBeLessThan(500);
  });

  test("DSP-07 a wrongly cased name is repaired when that is unique, and says so", async () => {
    const session = await createAgentSession({ tools: [makeTool("read_file", () => "text")] });
    const result = await session.dispatch({ name: "Read-File" });
    expect(result).toMatchObject({ outcome: "ok", name: "read_file" });
    expect(result.details?.repairs?.[0]).toContain("Read-File");
    expect((await session.dispatch({ name: "" })).outcome).toBe("unknown-tool");
  });

  test("DSP-09 every call ends in exactly one completion event, whatever refused it", async () => {
    const session = await createAgentSession({
      tools: [echo, makeTool("forbidden")],
      policy: [{ name: "p", deny: ["forbidden"] }],
    });
    const finished: string[] = [];
    session.observe((event) => {
      if (event.type === "tool-call-finished") finished.push(event.result.outcome);
    });
    await session.dispatch({ name: "nobody" });
    await session.dispatch({ name: "forbidden" });
    await session.dispatch({ name: "echo", input: { text: 7 } });
    await session.dispatch({ name: "echo", input: { text: "hi" } });
    expect(finished).toEqual(["unknown-tool", "denied", "invalid-input", "ok"]);
  });

  test("ARG-11 a wrong input names each path, what was expected and what came, the same each time", async () => {
    const session = await createAgentSession({
      tools: [
        makeTool("order", undefined, {
          schema: {
            type: "object",
            properties: { count: { type: "integer" }, city: { type: "string" } },
            required: ["city"],
            additionalProperties: false,
          },
        }),
      ],
    });
    const call = { name: "order", input: { count: "many", citty: "Oslo" } };
    const first = await session.dispatch(call);
    expect(first).toMatchObject({ outcome: "invalid-input", isError: true });
    for (const word of ["count", "integer", "many", "citty", "city"]) expect(textOf(first)).toContain(word);
    expect(textOf(await session.dispatch(call))).toBe(textOf(first));
  });

  test("ARG-03 numbers and booleans that come as text are read as what the schema wants, and recorded", async () => {
    const seen: unknown[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("page", (input) => seen.push(input), {
          schema: { type: "object", properties: { limit: { type: "integer" }, deep: { type: "boolean" } } },
        }),
      ],
    });
    const result = await session.dispatch({ name: "page", input: { limit: "20", deep: "false" } });
    expect(seen).toEqual([{ limit: 20, deep: false }]);
    expect(result.details?.coercions?.map(({ path }) => path).sort()).toEqual(["/deep", "/limit"]);
    expect((await session.dispatch({ name: "page", input: { limit: "20 lines" } })).outcome).toBe("invalid-input");
  });

  test.each([undefined, "", null, "  \n"])("ARG-07 no arguments as %j run a tool that needs none", async (input) => {
    const session = await createAgentSession({ tools: [makeTool("now", (given) => JSON.stringify(given)), echo] });
    expect(textOf(await session.dispatch({ name: "now", input }))).toBe("{}");
    const missing = await session.dispatch({ name: "echo", input });
    expect(missing.outcome).toBe("invalid-input");
    expect(textOf(missing)).toContain("text");
  });

  test("ARG-08 cut arguments never run the tool", async () => {
    let ran = 0;
    const session = await createAgentSession({ tools: [makeTool("write", () => (ran += 1))] });
    const cut = await session.dispatch({ name: "write", input: '{"path":"a","content":"half of' });
    expect(cut).toMatchObject({ outcome: "truncated", isError: true });
    expect((await session.dispatch({ name: "write", input: {}, truncated: true })).outcome).toBe("truncated");
    expect(ran).toBe(0);
  });

  test.each(["", "   ", [], undefined, null])(
    "TRN-10 a tool that returns %j gives a text and no error",
    async (value) => {
      const session = await createAgentSession({ tools: [makeTool("quiet", () => value)] });
      const result = await session.dispatch({ name: "quiet" });
      expect(result).toMatchObject({ outcome: "ok", isError: false });
      expect(textOf(result)).toBe("(no output)");
    },
  );

  test("an object that a tool returns is JSON text for the model and structured for programs", async () => {
    const session = await createAgentSession({ tools: [makeTool("count", () => ({ n: 3 }))] });
    const result = await session.dispatch({ name: "count" });
    expect(textOf(result)).toBe('{"n":3}');
    expect(result.structuredContent).toEqual({ n: 3 });
  });

  test.each([
    [
      "an Error",
      () => {
        throw new Error("disk is full");
      },
      "disk is full",
    ],
    [
      "a string",
      () => {
        throw "plain words";
      },
      "plain words",
    ],
    ["undefined", () => Promise.reject(undefined), "gave no reason"],
    [
      "a hostile object",
      () => {
        throw {
          toString: () => {
            throw new Error("no");
          },
        };
      },
      "gave no reason",
    ],
  ])("DSP-03 a tool that throws %s is an error that the model can read, without a stack", async (_, execute, words) => {
    const session = await createAgentSession({ tools: [makeTool("broken", execute)] });
    const result = await session.dispatch({ name: "broken" });
    expect(result).toMatchObject({ outcome: "error", isError: true });
    expect(textOf(result)).toContain(words);
    expect(textOf(result)).not.toMatch(/\n\s+at /);
  });

  test("a ToolResult that a tool returns keeps its outcome", async () => {
    const inner = makeTool("inner", () => {
      throw new Error("inner broke");
    });
    const outer = makeTool("outer", (_, context) => context.dispatch({ name: "inner" }));
    const session = await createAgentSession({ tools: [inner, outer] });
    expect(await session.dispatch({ name: "outer" })).toMatchObject({ name: "outer", outcome: "error", isError: true });
  });

  test("a repeated id is renamed, and with once answers with what is recorded", async () => {
    let ran = 0;
    const session = await createAgentSession({ tools: [makeTool("pay", ({ sum }) => `paid ${sum} (${(ran += 1)})`)] });
    const first = await session.dispatch({ id: "a", name: "pay", input: { sum: 1 } });
    expect(await session.dispatch({ id: "a", name: "pay", input: { sum: 1 } }, { once: true })).toBe(first);
    expect(ran).toBe(1);
    expect((await session.dispatch({ id: "a", name: "pay", input: { sum: 2 } }, { once: true })).callId).toBe("a#2");
    expect((await session.dispatch({ id: "a", name: "pay", input: { sum: 1 } })).callId).toBe("a#3");
    expect(ran).toBe(3);
  });

  test("output that breaks its schema keeps content and outcome and loses the structure, with a note", async () => {
    const session = await createAgentSession({
      tools: [
        makeTool("n", () => ({ n: "three" }), {
          outputSchema: { type: "object", properties: { n: { type: "number" } } },
        }),
      ],
    });
    const result = await session.dispatch({ name: "n" });
    expect(result).toMatchObject({ outcome: "ok" });
    expect(result.structuredContent).toBeUndefined();
    expect(result.details?.notes?.join()).toContain("output schema");
  });
});

describe("hooks", () => {
  const run = async (hook: Hook) => {
    let ran = 0;
    const session = await createAgentSession({
      tools: [
        makeTool("exec", (input) => {
          ran += 1;
          return JSON.stringify(input);
        }),
      ],
      hooks: [hook],
      limits: { hookMs: 50 },
    });
    return { result: await session.dispatch({ name: "exec", input: { a: 1 } }), ran };
  };

  test.each<[string, NonNullable<Hook["beforeToolCall"]>, string]>([
    [
      "throws",
      () => {
        throw new Error("oops");
      },
      "oops",
    ],
    ["never answers", () => new Promise(() => undefined), "timeout"],
    ["returns a text", () => "yes" as never, "nonsense"],
    ["returns two things", () => ({ block: "a", ask: "b" }) as never, "nonsense"],
    ["returns null", () => null as never, "nonsense"],
  ])("HOK-01 a guard that %s blocks the call and names itself", async (_, beforeToolCall, words) => {
    const { result, ran } = await run({ name: "guard", beforeToolCall });
    expect(result).toMatchObject({ outcome: "blocked", isError: true });
    expect(textOf(result)).toContain('"guard"');
    expect(textOf(result)).toContain(words);
    expect(ran).toBe(0);
  });

  test("HOK-01 a block is told apart from a failure", async () => {
    const { result } = await run({ name: "guard", beforeToolCall: () => ({ block: "not on Fridays" }) });
    expect(result.outcome).toBe("blocked");
    expect(textOf(result)).toContain("not on Fridays");
    expect(textOf(result)).not.toContain("failed");
  });

  test("HOK-08 hooks get a frozen object and cannot reach the caller's own", async () => {
    const seen: unknown[] = [];
    const session = await createAgentSession({
      tools: [makeTool("t", (input) => JSON.stringify(input))],
      hooks: [
        {
          name: "reader",
          beforeToolCall: ({ input, call }) => {
            seen.push(input, call.input);
            expect(() => {
              (input as Record<string, unknown>)["x"] = 1;
            }).toThrow(TypeError);
            return undefined;
          },
        },
      ],
    });
    const mine = { list: [1] };
    for (const input of [null, mine, "", "[]", [1]]) await session.dispatch({ name: "t", input });
    expect(
      seen.every((each) => typeof each === "object" && each !== null && !Array.isArray(each) && Object.isFrozen(each)),
    ).toBe(true);
    expect(Object.isFrozen(mine)).toBe(false);
  });

  test("a rewrite is checked at once, and the executor, later hooks and policy see it", async () => {
    const seen: string[] = [];
    const session = await createAgentSession({
      tools: [echo],
      hooks: [
        { name: "first", beforeToolCall: () => ({ input: { text: "changed", times: "3" } as never }) },
        { name: "second", beforeToolCall: ({ input }) => void seen.push(JSON.stringify(input)) },
      ],
    });
    expect(textOf(await session.dispatch({ name: "echo", input: { text: "original" } }))).toBe("changed");
    expect(seen).toEqual(['{"text":"changed","times":3}']);
    const bad = await createAgentSession({
      tools: [echo],
      hooks: [{ name: "bad", beforeToolCall: () => ({ input: { text: 5 } }) }],
    });
    const result = await bad.dispatch({ name: "echo", input: { text: "fine" } });
    expect(result.outcome).toBe("invalid-input");
    expect(textOf(result)).toContain('"bad"');
  });

  test("result replaces the execute step and nothing else", async () => {
    let ran = 0;
    const session = await createAgentSession({
      tools: [makeTool("t", () => (ran += 1)), makeTool("no")],
      policy: [{ name: "p", deny: ["no"] }],
      hooks: [
        {
          name: "cache",
          beforeToolCall: () => ({ result: "from the cache" }),
          afterToolCall: ({ result }) => ({ content: [...result.content, { type: "text", text: "!" }] }),
        },
      ],
    });
    expect(textOf(await session.dispatch({ name: "t" }))).toBe("from the cache\n!");
    expect((await session.dispatch({ name: "no" })).outcome).toBe("denied");
    expect(ran).toBe(0);
  });

  test("an after-hook may make an error of a success and never the other way; if it fails, the real result stays with a note", async () => {
    const session = await createAgentSession({
      tools: [
        makeTool("good", () => "fine"),
        makeTool("bad", () => {
          throw new Error("broke");
        }),
      ],
      hooks: [
        { name: "strict", tools: ["good"], afterToolCall: () => ({ isError: true }) },
        { name: "liar", tools: ["bad"], afterToolCall: () => ({ isError: false }) as never },
      ],
    });
    expect((await session.dispatch({ name: "good" })).outcome).toBe("error");
    const bad = await session.dispatch({ name: "bad" });
    expect(bad.outcome).toBe("error");
    expect(bad.details?.notes?.join()).toContain('"liar"');
  });

  test("hooks run in registration order, under the lock one at a time", async () => {
    const log: string[] = [];
    const slow = (name: string): Hook => ({
      name,
      beforeToolCall: async ({ call }) => {
        log.push(`${call.id} ${name} in`);
        await settle();
        log.push(`${call.id} ${name} out`);
      },
    });
    const session = await createAgentSession({ tools: [makeTool("t")], hooks: [slow("a"), slow("b")] });
    await session.dispatchBatch([
      { id: "1", name: "t" },
      { id: "2", name: "t" },
    ]);
    for (let at = 0; at < log.length; at += 2) expect(log[at + 1]).toBe(log[at]?.replace("in", "out"));
    expect(log.filter((line) => line.startsWith("1")).map((line) => line.slice(2))).toEqual([
      "a in",
      "a out",
      "b in",
      "b out",
    ]);
  });

  test("a hook past its deadline can write no more", async () => {
    const release = gate();
    const failures: unknown[] = [];
    const session = await createAgentSession({
      tools: [makeTool("t")],
      limits: { hookMs: 20 },
      hooks: [
        {
          name: "slow",
          beforeToolCall: async (_, context) => {
            await release.opened;
            try {
              context.state.set("k", 1);
            } catch (error) {
              failures.push((error as { code: string }).code);
            }
            await context.dispatch({ name: "t" }).catch((error: { code: string }) => failures.push(error.code));
          },
        },
      ],
    });
    expect((await session.dispatch({ name: "t" })).outcome).toBe("blocked");
    release.open();
    await settle();
    expect(failures).toEqual(["hook-expired", "hook-expired"]);
  });

  test("a hook that dispatches waits neither for itself nor blocks others", async () => {
    const session = await createAgentSession({
      tools: [makeTool("outer", () => "outer"), makeTool("inner", () => "inner")],
      hooks: [
        { name: "all", beforeToolCall: async () => void (await settle()) },
        {
          name: "nesting",
          tools: ["outer"],
          beforeToolCall: async (_, context) => ({ result: textOf(await context.dispatch({ name: "inner" })) }),
        },
      ],
    });
    const results = await session.dispatchBatch([{ name: "outer" }, { name: "outer" }, { name: "inner" }]);
    expect(results.map(textOf)).toEqual(["inner", "inner", "inner"]);
  });
});

describe("abort and deadlines", () => {
  test("abort answers every open call at once, nothing starts after it, and the signal is aborted", async () => {
    const signals: AbortSignal[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("slow", (_, { signal, progress }) => {
          signals.push(signal);
          progress({ message: "half way" });
          return new Promise(() => undefined);
        }),
      ],
      limits: { graceMs: 0 },
    });
    const batch = session.dispatchBatch([{ name: "slow" }, { name: "slow" }]);
    await settle();
    session.abort();
    const results = await batch;
    expect(results.map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
    expect(textOf(results[0] ?? { content: [] })).toContain("half way");
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect((await session.close()).late).toHaveLength(2);
  });

  test("what settles in the same tick as the abort wins", async () => {
    const done = gate<string>();
    const session = await createAgentSession({ tools: [makeTool("t", async () => `${await done.opened}!`)] });
    const result = session.dispatch({ name: "t" });
    await settle();
    done.open("made it");
    session.abort();
    expect(await result).toMatchObject({ outcome: "ok" });
  });

  test("an executor that rejects because it was aborted is cancelled and not late", async () => {
    const session = await createAgentSession({
      tools: [
        makeTool(
          "t",
          (_, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
        ),
      ],
    });
    const controller = new AbortController();
    const result = session.dispatch({ name: "t" }, { signal: controller.signal });
    await settle();
    controller.abort();
    expect((await result).outcome).toBe("cancelled");
    expect((await session.close()).late).toEqual([]);
  });

  test("a deadline bounds a tool that never settles", async () => {
    const session = await createAgentSession({
      tools: [makeTool("t", () => new Promise(() => undefined), { rest: { timeoutMs: 20 } })],
      limits: { graceMs: 0 },
    });
    const result = await session.dispatch({ name: "t" });
    expect(result).toMatchObject({ outcome: "timed-out", isError: true });
    await session.close();
  });

  test("an aborted signal before the start runs nothing", async () => {
    let ran = 0;
    const session = await createAgentSession({ tools: [makeTool("t", () => (ran += 1))] });
    expect((await session.dispatch({ name: "t" }, { signal: AbortSignal.abort() })).outcome).toBe("cancelled");
    expect(ran).toBe(0);
  });

  test("a closed session answers with cancelled", async () => {
    const session = await createAgentSession({ tools: [makeTool("t")] });
    await session.close();
    const result = await session.dispatch({ name: "t" });
    expect(result.outcome).toBe("cancelled");
    expect(textOf(result)).toContain("session closed");
    expect(() => session.beginTurn()).toThrow(expect.objectContaining({ code: "session-closed" }));
  });
});

describe("policy and approvals", () => {
  test("APR-05 without an approver an ask is rejected, says which rule would allow it, and allowed tools still run", async () => {
    const plugin = { kind: "plugin", pluginId: "acme" } as const;
    const source = fakeSource("acme", "plugin", {
      state: "ready",
      tools: [makeTool("deploy", undefined, { owner: plugin }), makeTool("status", undefined, { owner: plugin })],
    });
    const session = await createAgentSession({
      tools: [echo],
      sources: [source],
      policy: [{ name: "p", approve: ["status"] }],
    });
    const turn = session.beginTurn();
    const [own, asked, approved] = await turn.dispatch([
      { name: "echo", input: { text: "x" } },
      { name: "deploy" },
      { name: "status" },
    ]);
    expect(own?.outcome).toBe("ok");
    expect(asked).toMatchObject({ outcome: "rejected", details: { approval: "no-approver" } });
    expect(textOf(asked ?? { content: [] })).toMatch(/approve/);
    expect(approved?.outcome).toBe("ok");
    expect(session.plan().warnings.map(({ code }) => code)).toContain("ask-without-approver");
  });

  test("an approver sees the final input, and its answer decides", async () => {
    const seen: unknown[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("fetch", ({ host }) => `got ${String(host)}`, {
          schema: { type: "object", properties: { host: { type: "string" } } },
        }),
      ],
      policy: [{ name: "p", ask: ["fetch"] }],
      hooks: [{ name: "redirect", beforeToolCall: () => ({ input: { host: "b" } }) }],
      approver: {
        ask: async (request) => {
          seen.push(request.input);
          return { answer: "approved", by: "ada" };
        },
      },
    });
    const result = await session.dispatch({ name: "fetch", input: { host: "a" } });
    expect(seen).toEqual([{ host: "b" }]);
    expect(result).toMatchObject({ outcome: "ok", details: { approval: "person", answeredBy: "ada" } });
    expect(textOf(result)).toBe("got b");
  });

  test.each([
    ["rejects", async () => ({ answer: "rejected" as const, message: "not now" }), "person"],
    [
      "throws",
      async () => {
        throw new Error("gone");
      },
      "expired",
    ],
    ["answers nonsense", async () => "sure" as never, "expired"],
    ["never answers", () => new Promise<never>(() => undefined), "expired"],
  ])("an approver that %s stops the call", async (_, ask, approval) => {
    let ran = 0;
    const session = await createAgentSession({
      tools: [makeTool("t", () => (ran += 1))],
      policy: [{ name: "p", ask: ["t"] }],
      approver: { ask },
      limits: { approvalMs: 20 },
    });
    expect(await session.dispatch({ name: "t" })).toMatchObject({ outcome: "rejected", details: { approval } });
    expect(ran).toBe(0);
  });

  test("POL-17 an absent list restricts nothing, an empty allow is nothing, an empty deny denies nothing", async () => {
    const visible = async (policy: Parameters<typeof createAgentSession>[0]) =>
      (await createAgentSession(policy)).plan().visible.length;
    const tools = [makeTool("a"), makeTool("b")];
    expect(await visible({ tools, policy: [{ name: "one" }, { name: "two", deny: [] }] })).toBe(2);
    const session = await createAgentSession({
      tools,
      policy: [
        { name: "one", deny: [] },
        { name: "two", allow: [] },
      ],
    });
    expect(session.plan().visible).toEqual([]);
    expect(
      session
        .plan()
        .hidden.every(
          ({ diagnostics }) => diagnostics[0]?.reason === "policy" && diagnostics[0].message.includes("two"),
        ),
    ).toBe(true);
    expect(session.plan().warnings.map(({ code }) => code)).toContain("no-tool-visible");
  });

  test("POL-22 a tool outside an agent's profile is hidden in the plan and refused at dispatch", async () => {
    const session = await createAgentSession({
      sources: [
        fakeSource("builtin", "core", {
          state: "ready",
          tools: ["read", "exec"].map((name) => makeTool(name, undefined, { owner: { kind: "core" } })),
        }),
      ],
      policy: [{ name: "global" }, { name: "agent", profile: "minimal" }],
    });
    expect(session.plan().visible.map(({ descriptor }) => descriptor.name)).toEqual(["read"]);
    const result = await session.dispatch({ name: "exec" });
    expect(result.outcome).toBe("denied");
    expect(textOf(result)).toContain("agent");
    const explanation = await session.explain("exec");
    expect(explanation).toMatchObject({ visible: false, verdict: "deny" });
    expect(explanation.fix).toBeDefined();
  });
});

describe("registry and turns", () => {
  test("NAM-06 two servers' tools of the same name are both there under their owners' names", async () => {
    const server = (id: string) =>
      fakeSource(id, "mcp", {
        state: "ready",
        tools: [makeTool(`${id}__deploy`, () => `to ${id}`, { owner: { kind: "mcp", serverId: id } })],
      });
    const session = await createAgentSession({ sources: [server("stage"), server("prod")] });
    expect(textOf(await session.dispatch({ name: "stage__deploy" }))).toBe("to stage");
    expect(textOf(await session.dispatch({ name: "prod__deploy" }))).toBe("to prod");
  });

  test("NAM-09 an override of a built-in runs in the session and in its child, on record", async () => {
    const builtin = fakeSource("builtin", "core", {
      state: "ready",
      tools: [makeTool("read", () => "stock", { owner: { kind: "core" } })],
    });
    const session = await createAgentSession({
      sources: [builtin],
      tools: [makeTool("read", () => "ours", { rest: { override: true } })],
    });
    const child = await session.child();
    for (const each of [session, child]) {
      expect(textOf(await each.dispatch({ name: "read" }))).toBe("ours");
      expect(each.plan().visible.map(({ descriptor }) => [descriptor.name, descriptor.owner.kind])).toEqual([
        ["read", "custom"],
      ]);
    }
    expect((await session.explain("read")).trace[0]?.message).toContain("in place of the one of core");
    await session.close();
  });

  test("CST-01 the serialised tool list is the same whatever order sources answer in", async () => {
    const tools = (id: string) =>
      ["b", "a", "c"].map((name) => makeTool(`${id}__${name}`, undefined, { owner: { kind: "mcp", serverId: id } }));
    const lists = new Set<string>();
    for (const order of [
      ["x", "y", "z"],
      ["z", "x", "y"],
      ["y", "z", "x"],
    ]) {
      const sources = ["x", "y", "z"].map((id) => fakeSource(id, "mcp", { state: "starting", tools: [] }));
      const session = await createAgentSession({ sources });
      for (const id of order) sources.find((source) => source.id === id)?.set({ state: "ready", tools: tools(id) });
      await settle();
      lists.add(JSON.stringify(session.beginTurn().tools));
      await session.close();
    }
    expect(lists.size).toBe(1);
    expect([...lists][0]).toContain("x__a");
  });

  test("a tool that a source removes during a turn is unavailable, and a policy that hides it is not escaped", async () => {
    const owner = { kind: "plugin", pluginId: "p" } as const;
    const source = fakeSource("p", "plugin", { state: "ready", tools: [makeTool("t", undefined, { owner })] });
    const session = await createAgentSession({ sources: [source], defaults: { ask: "never" } });
    const turn = session.beginTurn();
    source.set({ state: "ready", tools: [] });
    await settle();
    const [result] = await turn.dispatch([{ name: "t" }]);
    expect(result?.outcome).toBe("unavailable");
  });

  test("a source that is down keeps its definitions, and a call says that it does not answer", async () => {
    const owner = { kind: "mcp", serverId: "s" } as const;
    const tools = [makeTool("s__t", undefined, { owner })];
    const source = fakeSource("s", "mcp", { state: "ready", tools });
    const session = await createAgentSession({ sources: [source] });
    const before = session.beginTurn().tools;
    source.set({ state: "down", tools, message: "connection refused" });
    await settle();
    expect(session.beginTurn().tools).toBe(before);
    const result = await session.dispatch({ name: "s__t" });
    expect(result.outcome).toBe("unavailable");
    expect(textOf(result)).toContain("connection refused");
  });

  test("setActiveToolsByName degrades: unknown and hidden names are skipped with a reason, and inactive tools are unavailable", async () => {
    const session = await createAgentSession({
      tools: [makeTool("a"), makeTool("b"), makeTool("dark")],
      policy: [{ name: "p", deny: ["dark"] }],
    });
    const { active, skipped } = session.setActiveToolsByName(["a", "a", "ghost", "dark"]);
    expect(active).toEqual(["a"]);
    expect(skipped.map(({ name }) => name)).toEqual(["ghost", "dark"]);
    expect(session.beginTurn().tools.map(({ name }) => name)).toEqual(["a"]);
    expect((await session.dispatch({ name: "b" })).outcome).toBe("unavailable");
  });

  test("session.tools holds bound tools: executing one is a dispatch", async () => {
    const session = await createAgentSession({ tools: [echo, makeTool("no")], policy: [{ name: "p", deny: ["no"] }] });
    expect(await session.tools.get("echo")?.execute({ text: "hi" })).toMatchObject({ outcome: "ok" });
    expect(await session.tools.get("no")?.execute({})).toMatchObject({ outcome: "denied" });
  });

  test("an observer that throws breaks nothing and is named once in the warnings", async () => {
    const session = await createAgentSession({ tools: [echo] });
    const events: SessionEvent["type"][] = [];
    session.observe(() => {
      throw new Error("observer broke");
    });
    session.observe(({ type }) => events.push(type));
    await session.dispatch({ name: "echo", input: { text: "x" } });
    expect(events).toEqual(["tool-call-started", "tool-call-finished"]);
    expect(session.plan().warnings.filter(({ code }) => code === "observer-failed")).toHaveLength(1);
  });
});
