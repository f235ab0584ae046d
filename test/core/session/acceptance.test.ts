import {
  type AgentSession,
  type AgentTool,
  createAgentSession,
  type Hook,
  type Outcome,
  type SessionEvent,
  type SessionOptions,
  type ToolCall,
  type ToolResult,
} from "toolmap";
import { manualClock, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { entranceOf } from "../../../src/core/session/entrance.ts";
import { fakeSource, makeTool, textOf } from "../../support/tools.ts";

/** A tool through which another one can be called from inside. */
const outer = makeTool("outer", ({ call }, { dispatch }) => dispatch(call as unknown as ToolCall)); // what the doors below pass

/** Every way into a session, each with the result of one call. */
const DOORS: Readonly<Record<string, (session: AgentSession, call: ToolCall) => Promise<ToolResult | undefined>>> = {
  dispatch: (session, call) => session.dispatch(call),
  "a batch": async (session, call) => (await session.dispatchBatch([call]))[0],
  "a turn": async (session, call) => (await session.beginTurn().dispatch([call]))[0],
  "a bound tool": async (session, { name, input }) => session.tools.get(name)?.execute(input),
  "a person": (session, call) => entranceOf(session).dispatch(call, { caller: { kind: "person" } }),
  "a preparation": async (session, call) => {
    const prepared = await session.prepare(call);
    if ("result" in prepared) return prepared.result;
    return session.dispatch(call, { approval: { answer: "approved", prepared } });
  },
  "a nested call": (session, { name, input }) =>
    session.dispatch({ name: "outer", input: { call: { name, input } } as never }), // JSON, as every input here is
  "a child": async (session, call) => (await session.child()).dispatch(call),
  "a nested call of a child": async (session, { name, input }) =>
    (await session.child()).dispatch({ name: "outer", input: { call: { name, input } } as never }), // as above
  "the loop": async (session, { name, input }) => {
    const model = scriptedModel([{ calls: [{ name, input: input as never }] }, { text: "done" }]); // as above
    return (await (await session.child({ model })).prompt("go")).results[0];
  },
};

describe("whatever listens, hooks or shows a call", () => {
  const breaks = (): never => {
    throw new Error("broken on purpose");
  };

  test.each<[Outcome, AgentTool["execute"]]>([
    ["ok", () => "done"],
    [
      "error",
      () => {
        throw new Error("failed");
      },
    ],
  ])("changes no outcome by breaking: %s stays, for the call and for its siblings", async (outcome, execute) => {
    const session = await createAgentSession({
      tools: [makeTool("t", execute), makeTool("sibling")],
      hooks: [{ name: "broken", tools: ["t"], afterToolCall: breaks }],
    });
    session.observe(breaks);
    session.observe(() => Promise.reject(new Error("later")) as never); // What a program without types may do.
    const told: SessionEvent["type"][] = [];
    session.observe(({ type }) => told.push(type));
    const results = await session.dispatchBatch([{ name: "t" }, { name: "sibling" }]);
    expect(results.map((result) => result.outcome)).toEqual([outcome, "ok"]);
    expect(told.filter((type) => type === "tool-call-finished")).toHaveLength(2);
    await new Promise((resolve) => setImmediate(resolve));
  });

  test("and a preview that breaks keeps its own call from running and no other", async () => {
    const ran: string[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("t", () => ran.push("t"), { rest: { preview: breaks } }),
        makeTool("sibling", () => ran.push("sibling")),
      ],
      policy: [{ name: "careful", ask: ["t"] }],
      approver: { ask: async () => ({ answer: "approved" }) },
    });
    const results = await session.dispatchBatch([{ name: "t" }, { name: "sibling" }]);
    expect(results.map((result) => result.outcome)).toEqual(["error", "ok"]);
    expect(ran).toEqual(["sibling"]);
  });
});

describe("every door checks the strict schema after the last change", () => {
  const schema = {
    type: "object",
    properties: {
      code: { type: "string", pattern: "^[A-Z]{3}$" },
      tags: { type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 2 },
    },
    required: ["code"],
    additionalProperties: false,
  } as const;
  const fine = { code: "OSL", tags: ["a", "b"] };
  const wrong = [{ code: "oslo" }, { code: "OSL", tags: ["a", "a"] }, { code: "OSL", extra: 1 }, { tags: [] }];

  test.each(Object.keys(DOORS))(
    "through %s: what hooks made of a good input does not run, and is named",
    async (door) => {
      const ran: unknown[] = [];
      const seen: string[] = [];
      for (const input of wrong) {
        const hooks: Hook[] = [
          { name: "first", tools: ["t"], beforeToolCall: () => ({ input: { code: "ABC" } }) },
          { name: "last", tools: ["t"], beforeToolCall: () => ({ input }) },
          { name: "after it", tools: ["t"], beforeToolCall: () => void seen.push(door) },
        ];
        const tools = [makeTool("t", (given) => ran.push(given), { schema }), outer];
        const session = await createAgentSession({ tools, hooks });
        const result = await DOORS[door]?.(session, { name: "t", input: fine });
        expect(result?.outcome).toBe("invalid-input");
        expect(textOf(result ?? { content: [] })).toContain('"last"');
      }
      expect([ran, seen]).toEqual([[], []]);
    },
  );

  test.each(Object.keys(DOORS))("through %s: a bad input reaches no hook, a good one runs as it is", async (door) => {
    const ran: unknown[] = [];
    let hooked = 0;
    const session = await createAgentSession({
      tools: [makeTool("t", (given) => ran.push(given), { schema }), outer],
      hooks: [{ name: "counts", tools: ["t"], beforeToolCall: () => void (hooked += 1) }],
    });
    for (const input of wrong)
      expect((await DOORS[door]?.(session, { name: "t", input }))?.outcome).toBe("invalid-input");
    expect([ran, hooked]).toEqual([[], 0]);
    expect((await DOORS[door]?.(session, { name: "t", input: fine }))?.outcome).toBe("ok");
    expect([ran, hooked]).toEqual([[fine], 1]);
  });
});

describe("names that are one when spelt canonically", () => {
  const plugin = (id: string, name: string) =>
    fakeSource(id, "plugin", {
      tools: [makeTool(name, () => id, { owner: { kind: "plugin", pluginId: id } })],
      state: "ready",
    });

  test("two plugins' fetch_it and Fetch-It: the first keeps it, and both owners are named where it is missed", async () => {
    const session = await createAgentSession({
      sources: [plugin("acme", "fetch_it"), plugin("umbrella", "Fetch-It")],
      defaults: { ask: "never" },
    });
    const plan = session.plan();
    expect(plan.visible.map(({ descriptor }) => descriptor.name)).toEqual(["fetch_it"]);
    const clash = plan.hidden.flatMap(({ diagnostics }) => diagnostics).find(({ reason }) => reason === "name-clash");
    expect(clash?.message).toContain("acme");
    expect(clash?.message).toContain("umbrella");
    for (const name of ["fetch_it", "Fetch-It", "FETCH_IT"])
      expect(textOf(await session.dispatch({ name }))).toBe("acme");
  });

  test.each(["Read", "READ", "read"])(
    "a plugin's %s does not take the place of the built-in read, and both are named",
    async (name) => {
      const core = fakeSource("core", "core", {
        tools: [makeTool("read", () => "built in", { owner: { kind: "core" } })],
        state: "ready",
      });
      const session = await createAgentSession({ sources: [plugin("acme", name), core], defaults: { ask: "never" } });
      expect(textOf(await session.dispatch({ name }))).toBe("built in");
      const said = JSON.stringify(session.plan().hidden.flatMap(({ diagnostics }) => diagnostics));
      expect(said).toContain("acme");
      expect(said).toContain("core");
    },
  );
});

describe("a tool that calls a hundred others", () => {
  const calls = Array.from({ length: 100 }, (_, at) => ({ name: "step", input: { at } }));
  const many = makeTool("many", async (_, { dispatch }) => {
    const results = await Promise.all(calls.map((call) => dispatch(call)));
    return results.map(({ outcome }) => outcome);
  });

  test("costs the model no turn: the conversation has the one call and its one result", async () => {
    const model = scriptedModel([{ calls: [{ name: "many" }] }, { text: "done" }]);
    const session = await createAgentSession({ tools: [many, makeTool("step")], model, limits: { turns: 2 } });
    const told: SessionEvent[] = [];
    session.observe((event) => told.push(event));
    const { stop, results } = await session.prompt("go");
    expect([stop, results.map(({ name }) => name), model.requests.length]).toEqual(["end", ["many"], 2]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    const parents = told.flatMap((event) => (event.type === "tool-call-started" ? [event.parentCallId] : []));
    expect(parents.filter((parent) => parent === results[0]?.callId)).toHaveLength(100);
    expect(told.filter(({ type }) => type === "tool-call-finished")).toHaveLength(101);
  });

  test("passes hooks, checks, policy, approvals and limits with each of them, under the caller of its own call", async () => {
    const [hooked, asked]: [string[], unknown[]] = [[], []];
    const clock = manualClock();
    const options: SessionOptions = {
      ports: { clock },
      tools: [
        many,
        makeTool("step", () => new Promise(() => undefined), {
          schema: { type: "object", properties: { at: { type: "integer", maximum: 49 } } },
          rest: { timeoutMs: 20 },
        }),
      ],
      hooks: [
        {
          name: "odd ones",
          tools: ["step"],
          beforeToolCall: ({ input, caller }) => {
            hooked.push(caller.kind);
            return Number(input["at"]) % 2 === 1 ? { block: "odd" } : undefined;
          },
        },
      ],
      approver: {
        ask: async ({ input, caller }) => {
          asked.push(caller.kind);
          return { answer: Number(input["at"]) < 40 ? "rejected" : "approved" };
        },
      },
    };
    const session = await createAgentSession({ ...options, policy: [{ name: "careful", ask: ["step"] }] });
    const answered = session.beginTurn().dispatch([{ name: "many" }]);
    await clock.advance(20);
    const [result] = await answered;
    const counts = new Map<string, number>();
    for (const outcome of JSON.parse(textOf(result ?? { content: [] })) as string[])
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    expect([...counts].toSorted()).toEqual([
      ["blocked", 25],
      ["invalid-input", 50],
      ["rejected", 20],
      ["timed-out", 5],
    ]);
    expect([hooked.length, asked.length, ...new Set([...hooked, ...asked])]).toEqual([50, 25, "model"]);
    const strict = await createAgentSession({ ...options, policy: [{ name: "strict", deny: ["step"] }] });
    const [denied] = await strict.beginTurn().dispatch([{ name: "many" }]);
    expect(new Set(JSON.parse(textOf(denied ?? { content: [] })) as string[])).toEqual(new Set(["denied"]));
  });
});

test("explain names the layer and the place that decided, wherever in the list of layers that is", async () => {
  const names = ["global", "agent", "run"];
  for (const decisive of names) {
    const session = await createAgentSession({
      tools: [makeTool("t"), makeTool("u")],
      policy: names.map((name) =>
        name === decisive ? { name, allow: ["t", "u"], deny: ["t"] } : { name, allow: ["*"] },
      ),
      ports: { places: { placeOf: (layer, list, at) => `toolmap.jsonc:${layer}.${list}.${at}` } },
    });
    const { verdict, trace, fix } = await session.explain("t");
    expect(verdict).toBe("deny");
    expect(trace.find(({ stage }) => stage === "policy")).toMatchObject({
      verdict: "deny",
      source: `toolmap.jsonc:${decisive}.deny.0`,
    });
    expect(fix).toContain(`"${decisive}"`);
    expect((await session.explain("u")).verdict).toBe("allow");
  }
});
