import {
  type AgentSession,
  type AgentTool,
  createAgentSession,
  defineTool,
  type Outcome,
  type SessionEvent,
  type SessionOptions,
  type SourceSnapshot,
  type ToolAnnotations,
  type ToolContext,
  type ToolResult,
} from "toolmap";
import { type ManualClock, manualClock, type MemoryPorts, memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

/** A session over a clock that stands still, with all that its observers were told and how often its tools ran. */
class World {
  readonly clock: ManualClock = manualClock();
  readonly ports: MemoryPorts = memoryPorts();
  readonly events: SessionEvent[] = [];
  /** Names of the tools whose executors started. */
  readonly ran: string[] = [];

  /** A tool that says when it starts. */
  tool(
    name: string,
    execute: (context: ToolContext) => unknown = () => "done",
    parts: Parameters<typeof makeTool>[2] = {},
  ): AgentTool {
    const run = (_: unknown, context: ToolContext): unknown => {
      this.ran.push(name);
      return execute(context);
    };
    return makeTool(name, run, parts);
  }

  async session(options: SessionOptions): Promise<AgentSession> {
    const session = await createAgentSession({ ...options, ports: { clock: this.clock, ...options.ports } });
    session.observe((event) => this.events.push(event));
    return session;
  }

  /** Asserts the one end of a call: as told to the caller and, once, to observers. */
  ended(result: ToolResult | undefined, outcome: Outcome, says = ""): void {
    expect(result).toMatchObject({ outcome, isError: outcome !== "ok" });
    if (!result) return;
    expect(textOf(result)).toContain(says);
    const of = (type: SessionEvent["type"]): readonly SessionEvent[] =>
      this.events.filter((event) => event.type === type && event.callId === result.callId);
    expect(of("tool-call-started")).toHaveLength(1);
    expect(of("tool-call-finished")).toMatchObject([{ result }]);
  }

  count(type: SessionEvent["type"]): number {
    return this.events.filter((event) => event.type === type).length;
  }
}

const NUMBER = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;
const never = (): Promise<never> => new Promise(() => undefined);
const writes = (key: string) => ({ resources: () => [{ key, mode: "write" as const }] });

describe("received ->", () => {
  test("unknown-tool: nothing has the name", async () => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t")] });
    world.ended(await session.dispatch({ name: "nobody" }), "unknown-tool", "nobody");
    expect(world.ran).toEqual([]);
  });

  test("unavailable: the tool is hidden for want of a key", async () => {
    const world = new World();
    const dark = world.tool("t", undefined, { descriptor: { availability: { kind: "auth", providerId: "acme" } } });
    const session = await world.session({ tools: [dark] });
    world.ended(await session.dispatch({ name: "t" }), "unavailable", "acme");
    expect(world.ran).toEqual([]);
  });

  test("unavailable: the tool is not active", async () => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t"), world.tool("u")] });
    session.setActiveToolsByName(["u"]);
    world.ended(await session.dispatch({ name: "t" }), "unavailable", "not active");
    expect(world.ran).toEqual([]);
  });

  test("denied: no hook runs, and no input is looked at", async () => {
    const world = new World();
    let hooked = 0;
    const session = await world.session({
      tools: [world.tool("t", undefined, { schema: NUMBER })],
      policy: [{ name: "strict", deny: ["t"] }],
      hooks: [{ name: "h", beforeToolCall: () => void (hooked += 1) }],
    });
    world.ended(await session.dispatch({ name: "t", input: "no JSON" }), "denied", "strict");
    expect([world.ran, hooked]).toEqual([[], 0]);
  });

  test.each<[string, object]>([
    ["said to be cut off", { input: { n: 1 }, truncated: true }],
    ["text that ends too early", { input: '{"n": 1' }],
  ])("truncated: the input is %s", async (_, call) => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t", undefined, { schema: NUMBER })] });
    world.ended(await session.dispatch({ name: "t", ...call }), "truncated");
    expect(world.ran).toEqual([]);
  });

  test("invalid-input: the input does not fit the schema", async () => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t", undefined, { schema: NUMBER })] });
    world.ended(await session.dispatch({ name: "t", input: { n: "many" } }), "invalid-input", "n");
    expect(world.ran).toEqual([]);
  });

  test("cancelled: aborted before the start", async () => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t")] });
    world.ended(await session.dispatch({ name: "t" }, { signal: AbortSignal.abort() }), "cancelled", "not started");
    expect(world.ran).toEqual([]);
  });

  test("cancelled: the session is closing, and closed", async () => {
    const world = new World();
    const session = await world.session({ tools: [world.tool("t")] });
    const closing = session.close();
    world.ended(await session.dispatch({ name: "t" }), "cancelled", "session closed");
    await closing;
    const after = await session.dispatch({ name: "t" });
    expect([after.outcome, textOf(after)]).toEqual(["cancelled", expect.stringContaining("session closed")]);
    expect(world.ran).toEqual([]);
  });
});

describe("checked ->", () => {
  test("hooking: waits for the lock, as long as its holder has it", async () => {
    const world = new World();
    const held = gate();
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [{ name: "h", beforeToolCall: () => undefined }],
    });
    const holder = session.runWithSessionWriteLock(() => held.opened);
    const call = session.dispatch({ name: "t" });
    await settle();
    expect(world.ran).toEqual([]);
    held.open();
    world.ended(await call, "ok");
    await holder;
  });

  test("cancelled: an abort leaves the lock's queue, and whoever stood behind gets the lock", async () => {
    const world = new World();
    const held = gate();
    const hooked: string[] = [];
    const session = await world.session({
      tools: [world.tool("t"), world.tool("u")],
      hooks: [{ name: "h", beforeToolCall: ({ call }) => void hooked.push(call.name) }],
    });
    const holder = session.runWithSessionWriteLock(() => held.opened);
    const controller = new AbortController();
    const first = session.dispatch({ name: "t" }, { signal: controller.signal });
    const second = session.dispatch({ name: "u" });
    await settle();
    controller.abort();
    world.ended(await first, "cancelled");
    held.open();
    world.ended(await second, "ok");
    await holder;
    expect([hooked, world.ran]).toEqual([["u"], ["u"]]);
  });

  test("hooking: a hook that holds the lock for ever has it until its deadline, and the next call goes on", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t"), world.tool("u")],
      hooks: [{ name: "stuck", beforeToolCall: ({ call }) => (call.name === "t" ? never() : undefined) }],
      limits: { hookMs: 50 },
    });
    const calls = [session.dispatch({ name: "t" }), session.dispatch({ name: "u" })];
    await world.clock.advance(50);
    world.ended(await calls[0], "blocked", "timeout");
    world.ended(await calls[1], "ok");
    expect([world.ran, world.clock.pending]).toEqual([["u"], 0]);
  });
});

describe("hooking ->", () => {
  test("blocked: a hook says so, and no hook after it runs", async () => {
    const world = new World();
    let hooked = 0;
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [
        { name: "guard", beforeToolCall: () => ({ block: "not on Fridays" }) },
        { name: "next", beforeToolCall: () => void (hooked += 1) },
      ],
    });
    world.ended(await session.dispatch({ name: "t" }), "blocked", "not on Fridays");
    expect([world.ran, hooked]).toEqual([[], 0]);
  });

  test("invalid-input: a rewrite that does not fit, and no hook after it runs", async () => {
    const world = new World();
    let hooked = 0;
    const session = await world.session({
      tools: [world.tool("t", undefined, { schema: NUMBER })],
      hooks: [
        { name: "rewriter", beforeToolCall: () => ({ input: { n: "none" } }) },
        { name: "next", beforeToolCall: () => void (hooked += 1) },
      ],
    });
    world.ended(await session.dispatch({ name: "t", input: { n: 1 } }), "invalid-input", '"rewriter"');
    expect([world.ran, hooked]).toEqual([[], 0]);
  });

  test("cancelled: an abort answers at once, though the hook goes on", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [{ name: "slow", beforeToolCall: never }],
    });
    const call = session.dispatch({ name: "t" });
    await settle();
    session.abort();
    world.ended(await call, "cancelled");
    expect([world.ran, world.clock.pending]).toEqual([[], 0]);
  });

  test.each<[string, object]>([
    ["a rewrite", { input: { n: 2 } }],
    ["a result", { result: "late" }],
    ["an ask", { ask: "really?" }],
    ["a block", { block: "late" }],
  ])("blocked: %s that comes after the hook's deadline is ignored, and its context is revoked", async (_, late) => {
    const world = new World();
    const opened = gate();
    const refused: unknown[] = [];
    const session = await world.session({
      tools: [world.tool("t", undefined, { schema: NUMBER })],
      hooks: [
        {
          name: "slow",
          timeoutMs: 10,
          beforeToolCall: async (_event, { state, dispatch, signal }) => {
            await opened.opened;
            expect(signal.aborted).toBe(true);
            for (const use of [async () => state.set("k", 1), () => dispatch({ name: "t", input: { n: 3 } })])
              await use().catch(({ code }: { code: unknown }) => refused.push(code));
            return late as never;
          },
        },
      ],
    });
    const call = session.dispatch({ name: "t", input: { n: 1 } });
    await world.clock.advance(10);
    world.ended(await call, "blocked", "timeout");
    const told = world.events.length;
    opened.open();
    await settle();
    expect([refused, world.ran, world.events.length]).toEqual([["hook-expired", "hook-expired"], [], told]);
  });
});

describe("decided ->", () => {
  test.each<[string, (input: { n: number }) => boolean | Promise<boolean>]>([
    ["at once", ({ n }) => n < 5],
    ["later", async ({ n }) => n < 5],
  ])("invalid-input: the author's own validation says so %s, of the input as hooks left it", async (_, fits) => {
    const world = new World();
    const session = await world.session({
      tools: [
        defineTool({
          name: "t",
          description: "t",
          input: z.object({ n: z.number() }).refine(fits, "n must be under five"),
          execute: () => world.ran.push("t"),
        }),
      ],
      hooks: [{ name: "h", beforeToolCall: () => ({ input: { n: 7 } }) }],
    });
    world.ended(await session.dispatch({ name: "t", input: { n: 1 } }), "invalid-input", "under five");
    expect(world.ran).toEqual([]);
  });

  test("cancelled: an abort while the author's validation is waited for", async () => {
    const world = new World();
    const input = z.object({}).refine(never, "never");
    const session = await world.session({
      tools: [defineTool({ name: "t", description: "t", input, execute: () => world.ran.push("t") })],
    });
    const call = session.dispatch({ name: "t" });
    await settle();
    session.abort();
    world.ended(await call, "cancelled");
    expect([world.ran, world.clock.pending]).toEqual([[], 0]);
  });

  test("error: a tool that cannot say which resources it needs does not run", async () => {
    const world = new World();
    for (const broken of [
      () => {
        throw new Error("no idea");
      },
      () => [{ key: 5 }] as never,
      () => "everything" as never,
    ]) {
      const session = await world.session({ tools: [world.tool("t", undefined, { rest: { resources: broken } })] });
      const [first, second] = await session.dispatchBatch([{ name: "t" }, { name: "t" }]);
      expect([first?.outcome, second?.outcome]).toEqual(["error", "error"]);
    }
    expect(world.ran).toEqual([]);
  });
});

const ASKS: SessionOptions["policy"] = [{ name: "careful", ask: ["t"] }];

describe("asking ->", () => {
  test("queued: approved, and the call runs", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      policy: ASKS,
      approver: { ask: async () => ({ answer: "approved", by: "ann" }) },
    });
    const result = await session.dispatch({ name: "t" });
    world.ended(result, "ok");
    expect(result.details).toMatchObject({ approval: "person", answeredBy: "ann" });
    expect([world.count("approval-requested"), world.count("approval-answered")]).toEqual([1, 1]);
    expect(world.clock.pending).toBe(0);
  });

  test.each<[string, SessionOptions["approver"], number]>([
    ["person", { ask: async () => ({ answer: "rejected", message: "too dear" }) }, 1],
    ["expired", { ask: never }, 0],
    ["no-approver", undefined, 0],
  ])("rejected(%s): the call does not run", async (approval, approver, answers) => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      policy: ASKS,
      ...(approver ? { approver } : {}),
      limits: { approvalMs: 100 },
    });
    const call = session.dispatch({ name: "t" });
    await world.clock.advance(100);
    const result = await call;
    world.ended(result, "rejected", approval === "person" ? "too dear" : "");
    expect(result.details?.approval).toBe(approval);
    expect(world.count("approval-answered")).toBe(answers);
    expect([world.ran, world.clock.pending]).toEqual([[], 0]);
  });

  test.each(["approved", "rejected"] as const)(
    "cancelled: an abort withdraws the request, and the late answer %s is told to nobody",
    async (answer) => {
      const world = new World();
      const opened = gate();
      const signals: AbortSignal[] = [];
      const session = await world.session({
        tools: [world.tool("t")],
        policy: ASKS,
        approver: {
          ask: async (_, signal) => {
            signals.push(signal);
            await opened.opened;
            return { answer };
          },
        },
      });
      const call = session.dispatch({ name: "t" });
      await settle();
      session.abort();
      world.ended(await call, "cancelled");
      opened.open();
      await settle();
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      expect([world.ran, world.count("approval-answered"), world.count("tool-call-finished")]).toEqual([[], 0, 1]);
    },
  );

  test("cancelled: of two calls that share a request one is aborted, and the other keeps it", async () => {
    const world = new World();
    const opened = gate();
    const signals: AbortSignal[] = [];
    const session = await world.session({
      tools: [world.tool("t")],
      policy: ASKS,
      approver: {
        ask: async (_, signal) => {
          signals.push(signal);
          await opened.opened;
          return { answer: "approved" };
        },
      },
    });
    const controller = new AbortController();
    const calls = [session.dispatch({ name: "t" }, { signal: controller.signal }), session.dispatch({ name: "t" })];
    await settle();
    controller.abort();
    world.ended(await calls[0], "cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    opened.open();
    world.ended(await calls[1], "ok");
    expect(world.ran).toEqual(["t"]);
  });

  test.each<[string, Outcome, string, (tools: readonly AgentTool[]) => SourceSnapshot]>([
    ["the policy lets it in no longer", "denied", "readonly", () => snapshotOf({ destructiveHint: true })],
    ["it is removed", "unavailable", "removed", () => ({ tools: [], state: "ready" })],
    ["its source goes down", "unavailable", "gone away", (tools) => ({ tools, state: "down", message: "gone away" })],
  ])("confirmed -> %s: the approval does not help, and the answer is %s", async (_, outcome, says, after) => {
    const world = new World();
    const opened = gate();
    const { tools, ...rest } = snapshotOf({ readOnlyHint: true }, () => world.ran.push("t"));
    const source = fakeSource("own", "custom", { tools, ...rest });
    const session = await world.session({
      sources: [source],
      policy: [{ name: "reads", profile: "readonly", ask: ["t"] }],
      approver: { ask: () => opened.opened.then(() => ({ answer: "approved" })) },
    });
    const call = session.dispatch({ name: "t" });
    await settle();
    expect(world.count("approval-requested")).toBe(1);
    source.set(after(tools));
    await settle();
    opened.open();
    world.ended(await call, outcome, says);
    expect(world.ran).toEqual([]);
  });

  function snapshotOf(annotations: ToolAnnotations, execute?: () => unknown): SourceSnapshot {
    return { tools: [makeTool("t", execute, { annotations })], state: "ready" };
  }
});

describe("queued ->", () => {
  test("cancelled: an abort leaves the queue, and whoever stood behind goes on in turn", async () => {
    const world = new World();
    const end = gate();
    const key = "queued cancelled";
    const session = await world.session({
      tools: [
        world.tool("holder", () => end.opened, { rest: writes(key) }),
        world.tool("one", undefined, { rest: writes(key) }),
        world.tool("two", undefined, { rest: writes(key) }),
      ],
    });
    const holder = session.dispatch({ name: "holder" });
    const controller = new AbortController();
    const one = session.dispatch({ name: "one" }, { signal: controller.signal });
    const two = session.dispatch({ name: "two" });
    await settle();
    controller.abort();
    world.ended(await one, "cancelled");
    expect(world.ran).toEqual(["holder"]);
    end.open();
    world.ended(await holder, "ok");
    world.ended(await two, "ok");
    expect([world.ran, world.clock.pending]).toEqual([["holder", "two"], 0]);
  });

  test.each(["another call", "an earlier call of its batch"])(
    "timed-out: it names %s that holds its key",
    async (who) => {
      const world = new World();
      const end = gate();
      const rest = writes(`queued timed out by ${who}`);
      const session = await world.session({
        tools: [world.tool("holder", () => end.opened, { rest }), world.tool("t", undefined, { rest })],
        limits: { keyWaitMs: 100 },
      });
      const names = [{ id: "h", name: "holder" }, { name: "t" }];
      const isBatch = who !== "another call";
      const batch = isBatch ? session.dispatchBatch(names) : undefined;
      const calls = isBatch ? [] : names.map((call) => session.dispatch(call));
      await settle();
      await world.clock.advance(100);
      end.open();
      const [holder, waited] = (await batch) ?? (await Promise.all(calls));
      world.ended(holder, "ok");
      world.ended(waited, "timed-out", '"holder" (h)');
      expect([world.ran, world.clock.pending]).toEqual([["holder"], 0]);
    },
  );

  test.each(["another call", "an earlier call of its batch"])(
    "confirmed: the holder is the late executor of %s, so it goes on after its grace, with a note",
    async (who) => {
      const world = new World();
      const rest = { ...writes(`late holder of ${who}`), timeoutMs: 10 };
      const session = await world.session({
        tools: [world.tool("late", never, { rest }), world.tool("t", undefined, { rest })],
        limits: { graceMs: 40 },
      });
      const names = [{ id: "l", name: "late" }, { name: "t" }];
      const isBatch = who !== "another call";
      const batch = isBatch ? session.dispatchBatch(names) : undefined;
      const calls = isBatch ? [] : names.map((call) => session.dispatch(call));
      await settle();
      await world.clock.advance(10);
      await world.clock.advance(39);
      expect(world.ran).toEqual(["late"]);
      await world.clock.advance(1);
      const [late, next] = (await batch) ?? (await Promise.all(calls));
      world.ended(late, "timed-out");
      world.ended(next, "ok", "(l) was given up");
      expect(world.ran).toEqual(["late", "t"]);
    },
  );

  test("confirmed: a late executor that settles within its grace gives its key back without a note", async () => {
    const world = new World();
    const end = gate();
    const rest = { ...writes("settles within its grace"), timeoutMs: 10 };
    const session = await world.session({
      tools: [world.tool("late", () => end.opened, { rest }), world.tool("t", undefined, { rest })],
    });
    const calls = [session.dispatch({ name: "late" }), session.dispatch({ name: "t" })];
    await settle();
    await world.clock.advance(10);
    world.ended(await calls[0], "timed-out");
    end.open();
    const next = await calls[1];
    world.ended(next, "ok");
    expect(next?.details?.notes).toBeUndefined();
  });
});

describe("confirmed ->", () => {
  const changing = (changes: number): NonNullable<AgentTool["preview"]> => {
    let looks = 0;
    return async () => [{ type: "text", text: `version ${Math.min((looks += 1), changes)}` }];
  };

  test("asking: what was approved has changed, so it is asked about once more and runs", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t", undefined, { rest: { preview: changing(2) } })],
      policy: ASKS,
      approver: { ask: async () => ({ answer: "approved" }) },
    });
    world.ended(await session.dispatch({ name: "t" }), "ok");
    expect([world.count("approval-requested"), world.count("approval-answered")]).toEqual([2, 2]);
  });

  test("rejected(mismatch): it has changed a second time", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t", undefined, { rest: { preview: changing(99) } })],
      policy: ASKS,
      approver: { ask: async () => ({ answer: "approved" }) },
    });
    const result = await session.dispatch({ name: "t" });
    world.ended(result, "rejected", "not what would run");
    expect(result.details?.approval).toBe("mismatch");
    expect([world.count("approval-requested"), world.ran]).toEqual([2, []]);
  });

  test("asking: while somebody is asked again the keys are free", async () => {
    const world = new World();
    const opened = gate();
    let asked = 0;
    const rest = writes("asked again");
    const session = await world.session({
      tools: [
        world.tool("t", undefined, { rest: { ...rest, preview: changing(2) } }),
        world.tool("u", undefined, { rest }),
      ],
      policy: ASKS,
      approver: {
        ask: async () => {
          asked += 1;
          if (asked === 2) await opened.opened;
          return { answer: "approved" };
        },
      },
    });
    const call = session.dispatch({ name: "t" });
    await settle();
    expect(asked).toBe(2);
    world.ended(await session.dispatch({ name: "u" }), "ok");
    opened.open();
    world.ended(await call, "ok");
    expect(world.ran).toEqual(["u", "t"]);
  });
});

describe("intended ->", () => {
  test("error: the journal failed, so nothing ran", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      ports: { journal: { append: ({ type }) => (type === "intent" ? Promise.reject(new Error("full")) : settle()) } },
    });
    world.ended(await session.dispatch({ name: "t" }), "error", "full");
    expect(world.ran).toEqual([]);
  });

  test("cancelled: an abort after the intent and before the executor, and an outcome is on record", async () => {
    const world = new World();
    const { journal } = world.ports;
    const session: AgentSession = await world.session({
      tools: [world.tool("t")],
      ports: {
        journal: {
          append: async (entry, options) => {
            await journal.append(entry, options);
            if (entry["type"] === "intent") session.abort();
          },
        },
      },
    });
    world.ended(await session.dispatch({ name: "t" }), "cancelled");
    expect(world.ran).toEqual([]);
    expect(journal.entries.slice(-2)).toMatchObject([{ type: "intent" }, { type: "outcome", outcome: "cancelled" }]);
  });
});

describe("executing ->", () => {
  test("raw(ok) -> ok, raw(error) -> error", async () => {
    const world = new World();
    const fails = (): never => {
      throw new Error("broke");
    };
    const session = await world.session({ tools: [world.tool("t"), world.tool("u", fails)] });
    world.ended(await session.dispatch({ name: "t" }), "ok", "done");
    world.ended(await session.dispatch({ name: "u" }), "error", "broke");
    expect(world.clock.pending).toBe(0);
  });

  test("timed-out: at its deadline and no sooner, with what it reported last, and its signal is aborted", async () => {
    const world = new World();
    const signals: AbortSignal[] = [];
    const slow = ({ signal, progress }: ToolContext): Promise<never> => {
      signals.push(signal);
      progress({ message: "half way" });
      return never();
    };
    const session = await world.session({ tools: [world.tool("t", slow, { rest: { timeoutMs: 100 } })] });
    const call = session.dispatch({ name: "t" });
    await settle();
    await world.clock.advance(99);
    expect(signals[0]?.aborted).toBe(false);
    await world.clock.advance(1);
    world.ended(await call, "timed-out", "half way");
    expect(signals[0]?.aborted).toBe(true);
  });

  test.each([
    ["resolves", "ok"],
    ["rejects", "error"],
  ] as const)("raw: what settled in the tick of the abort wins, when it %s", async (how, outcome) => {
    for (const isFirst of [true, false]) {
      const world = new World();
      const end = gate<string>();
      const session = await world.session({ tools: [world.tool("t", () => end.opened)] });
      const call = session.dispatch({ name: "t" });
      await settle();
      if (!isFirst) session.abort();
      if (how === "resolves") end.open("made it");
      else end.fail(new Error("broke"));
      if (isFirst) session.abort();
      world.ended(await call, outcome);
      expect((await session.close()).late).toEqual([]);
    }
  });

  test("raw: what settled in the tick of the deadline wins", async () => {
    const world = new World();
    const end = gate<string>();
    world.clock.after(100, () => end.open("made it"));
    const session = await world.session({
      tools: [world.tool("t", () => end.opened, { rest: { timeoutMs: 100 } })],
    });
    const call = session.dispatch({ name: "t" });
    await world.clock.advance(100);
    world.ended(await call, "ok", "made it");
  });
});

describe("raw ->", () => {
  test("ok: an after-hook that throws leaves the real result, with a note, and the next one runs", async () => {
    const world = new World();
    let hooked = 0;
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [
        {
          name: "broken",
          afterToolCall: () => {
            throw new Error("oops");
          },
        },
        { name: "next", afterToolCall: () => void (hooked += 1) },
      ],
    });
    const result = await session.dispatch({ name: "t" });
    world.ended(result, "ok", "done");
    expect(result.details?.notes?.join()).toContain('hook "broken" failed (threw): oops');
    expect(hooked).toBe(1);
  });

  test("error: an after-hook may say so of what went well", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [{ name: "strict", afterToolCall: () => ({ isError: true }) }],
    });
    world.ended(await session.dispatch({ name: "t" }), "error", "done");
  });

  test("ok: an abort during an after-hook changes nothing of what the tool has done", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t")],
      hooks: [{ name: "slow", afterToolCall: never }],
    });
    const call = session.dispatch({ name: "t" });
    await settle();
    session.abort();
    world.ended(await call, "ok", "done");
    expect(world.clock.pending).toBe(0);
  });

  test("ok: a spill that fails costs the rest of the output, which is cut with a note", async () => {
    const world = new World();
    const session = await world.session({
      tools: [world.tool("t", () => "x".repeat(200_000))],
      ports: { spill: { write: () => Promise.reject(new Error("no room")), read: async () => "" } },
    });
    const result = await session.dispatch({ name: "t" });
    world.ended(result, "ok", "200000");
    expect(textOf(result).length).toBeLessThan(70_000);
    expect(result.details?.notes?.join()).toContain("no room");
  });
});

describe("timed-out, cancelled ->", () => {
  test.each(["timed-out", "cancelled"] as const)(
    "%s, late -> settled-late: on record, and told to nobody",
    async (why) => {
      const world = new World();
      const { journal } = world.ports;
      const end = gate<string>();
      const session = await world.session({
        tools: [world.tool("t", () => end.opened, { rest: { timeoutMs: 10 } })],
        ports: { journal },
      });
      const call = session.dispatch({ id: "c", name: "t" });
      await settle();
      if (why === "cancelled") session.abort();
      else await world.clock.advance(10);
      world.ended(await call, why);
      const told = world.events.length;
      end.open("at last");
      await settle();
      expect(world.events).toHaveLength(told);
      expect(journal.entries.slice(-2)).toMatchObject([
        { type: "outcome", callId: "c", outcome: why },
        { type: "settled-late", callId: "c", value: "at last" },
      ]);
      expect((await session.close()).late).toEqual([]);
    },
  );

  test("late -> never settles: close waits for its grace and names it, and its record has no settled-late", async () => {
    const world = new World();
    const { journal } = world.ports;
    const session = await world.session({
      tools: [world.tool("t", never, { rest: { timeoutMs: 10 } })],
      ports: { journal },
      limits: { graceMs: 40 },
    });
    const call = session.dispatch({ id: "c", name: "t" });
    await settle();
    await world.clock.advance(10);
    world.ended(await call, "timed-out");
    let isClosed = false;
    const closing = session.close().finally(() => (isClosed = true));
    await world.clock.advance(39);
    expect(isClosed).toBe(false);
    await world.clock.advance(1);
    expect((await closing).late).toEqual([{ callId: "c", name: "t" }]);
    expect(journal.entries.map(({ type }) => type)).toEqual(["session-opened", "intent", "outcome", "session-closed"]);
    expect(world.clock.pending).toBe(0);
  });
});
