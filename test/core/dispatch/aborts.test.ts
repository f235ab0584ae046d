import { type AgentSession, createAgentSession, type ToolResult } from "toolmap";
import { manualClock, memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { gate, makeTool, settle, textOf } from "../../support/tools.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** Lets `count` promise reactions pass: the smallest step in which something else can happen in between. */
async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
}

describe("abort", () => {
  test("a tool that aborts its own session before it waits is answered at once", async () => {
    const session: AgentSession = await createAgentSession({
      tools: [
        makeTool("stop", () => {
          session.abort();
          return never();
        }),
      ],
      ports: { clock: manualClock() },
    });
    const result = await session.dispatch({ name: "stop" });
    expect(result.outcome).toBe("cancelled");
  });

  test("a hook that aborts its own session is the last thing that runs: nobody validates, declares, shows or asks", async () => {
    const ran: string[] = [];
    const session: AgentSession = await createAgentSession({
      tools: [
        makeTool("pay", () => ran.push("execute"), {
          rest: {
            resources: () => {
              ran.push("resources");
              return [];
            },
            preview: async () => {
              ran.push("preview");
              return [];
            },
          },
        }),
      ],
      hooks: [{ name: "stop", beforeToolCall: () => session.abort() }],
      policy: [{ name: "careful", ask: ["pay"] }],
      approver: {
        ask: async () => {
          ran.push("ask");
          return { answer: "approved" };
        },
      },
    });
    expect((await session.dispatch({ name: "pay" })).outcome).toBe("cancelled");
    await settle();
    expect(ran).toEqual([]);
  });

  test.each(Array.from({ length: 16 }, (_, count) => count))(
    "%i ticks after the journal has the intent: what started was not aborted before",
    async (count) => {
      let isAborted = false;
      const startedAfter: boolean[] = [];
      const session: AgentSession = await createAgentSession({
        tools: [makeTool("pay", () => void startedAfter.push(isAborted))],
        ports: {
          journal: {
            append: async (entry) => {
              if (entry["type"] !== "intent") return;
              void ticks(count).then(() => {
                isAborted = true;
                session.abort();
              });
            },
          },
        },
      });
      const result = await session.dispatch({ name: "pay" });
      expect(startedAfter).not.toContain(true);
      expect(result.outcome).toBe(startedAfter.length > 0 ? "ok" : "cancelled");
    },
  );

  test.each(Array.from({ length: 16 }, (_, count) => count))(
    "%i ticks after the lock is free: no hook that waited for it starts after the abort",
    async (count) => {
      const first = gate();
      let isAborted = false;
      const startedAfter: boolean[] = [];
      const session: AgentSession = await createAgentSession({
        tools: [makeTool("one"), makeTool("two")],
        hooks: [
          { name: "holds", tools: ["one"], beforeToolCall: () => first.opened.then(() => undefined) },
          { name: "waits", tools: ["two"], beforeToolCall: () => void startedAfter.push(isAborted) },
        ],
      });
      const results = session.dispatchBatch([{ name: "one" }, { name: "two" }]);
      await settle();
      first.open();
      await ticks(count);
      isAborted = true;
      session.abort();
      await results;
      expect(startedAfter).not.toContain(true);
      await session.runWithSessionWriteLock(() => undefined);
    },
  );

  test.each(Array.from({ length: 16 }, (_, count) => count))(
    "%i ticks after a key is free: no executor that waited for it starts after the abort, and the key is not lost",
    async (count) => {
      const first = gate();
      let isAborted = false;
      const startedAfter: boolean[] = [];
      const rest = { resources: () => [{ key: "ticks", mode: "write" as const }] };
      const session: AgentSession = await createAgentSession({
        tools: [
          makeTool("one", () => first.opened, { rest }),
          makeTool("two", () => void startedAfter.push(isAborted), { rest }),
        ],
      });
      const results = [session.dispatch({ name: "one" }), session.dispatch({ name: "two" })];
      await settle();
      first.open();
      await ticks(count);
      isAborted = true;
      session.abort();
      await Promise.all(results);
      expect(startedAfter).not.toContain(true);
      expect((await session.dispatch({ name: "two" })).outcome).toBe("ok");
    },
  );

  test("a late executor starts nothing more: a nested call after the deadline is cancelled", async () => {
    const clock = manualClock();
    let ran = 0;
    let nested: ToolResult | undefined;
    const opened = gate();
    const session: AgentSession = await createAgentSession({
      tools: [
        makeTool("inner", () => (ran += 1)),
        makeTool(
          "slow",
          async (_, { dispatch }) => {
            await opened.opened;
            nested = await dispatch({ name: "inner" });
          },
          { rest: { timeoutMs: 10 } },
        ),
      ],
      ports: { clock },
    });
    const result = session.dispatch({ name: "slow" });
    await clock.advance(10);
    expect((await result).outcome).toBe("timed-out");
    opened.open();
    await settle();
    expect(nested?.outcome).toBe("cancelled");
    expect(ran).toBe(0);
  });

  test("an abort leaves no timer of an ask behind, also when the approver ignores it", async () => {
    const clock = manualClock();
    const session: AgentSession = await createAgentSession({
      tools: [makeTool("pay")],
      policy: [{ name: "careful", ask: ["pay"] }],
      approver: { ask: never },
      ports: { clock },
    });
    const asking = session.dispatch({ name: "pay" });
    await settle();
    expect(clock.pending).toBe(1);
    session.abort();
    expect((await asking).outcome).toBe("cancelled");
    expect(clock.pending).toBe(0);
  });

  test("a late executor that settles leaves no timer of its grace behind", async () => {
    const clock = manualClock();
    const end = gate();
    const session: AgentSession = await createAgentSession({
      tools: [makeTool("slow", () => end.opened)],
      ports: { clock },
    });
    const call = session.dispatch({ name: "slow" });
    await settle();
    session.abort();
    expect((await call).outcome).toBe("cancelled");
    expect(clock.pending).toBe(1);
    end.open();
    await settle();
    expect(clock.pending).toBe(0);
  });
});

describe("a journal", () => {
  test("that never answers keeps no call from being aborted, and the session from being closed", async () => {
    const clock = manualClock();
    let ran = 0;
    const session: AgentSession = await createAgentSession({
      tools: [makeTool("pay", () => (ran += 1))],
      ports: { clock, journal: { append: never } },
    });
    const result = session.dispatch({ name: "pay" });
    await settle();
    const closing = session.close();
    for (let minute = 0; minute < 3; minute += 1) await clock.advance(60_000);
    expect((await result).outcome).toBe("cancelled");
    expect(ran).toBe(0);
    await closing;
    expect(clock.pending).toBe(0);
  });

  test("that never answers is one that fails: before the effect nothing runs, after it the result stays", async () => {
    const clock = manualClock();
    for (const broken of ["intent", "outcome"]) {
      let ran = 0;
      const session: AgentSession = await createAgentSession({
        tools: [makeTool("pay", () => `paid ${(ran += 1)}`)],
        ports: {
          clock,
          journal: { append: (entry) => (entry["type"] === broken ? never() : Promise.resolve()) },
        },
      });
      const result = session.dispatch({ name: "pay" });
      for (let minute = 0; minute < 3; minute += 1) await clock.advance(60_000);
      expect((await result).outcome).toBe(broken === "intent" ? "error" : "ok");
      expect(ran).toBe(broken === "intent" ? 0 : 1);
    }
  });

  test("is written by a call that a hook started, under that hook's hold of the lock", async () => {
    const clock = manualClock();
    const { journal } = memoryPorts();
    const session: AgentSession = await createAgentSession({
      tools: [makeTool("outer", () => "outer ran"), makeTool("inner", () => "inner ran")],
      hooks: [
        {
          name: "nests",
          tools: ["outer"],
          beforeToolCall: async (_, { dispatch }) => ({ result: textOf(await dispatch({ name: "inner" })) }),
        },
      ],
      ports: { clock, journal },
    });
    const result = session.dispatch({ id: "o", name: "outer" });
    await settle();
    expect(journal.entries.slice(1).map(({ type, name }) => `${String(type)} ${String(name)}`)).toEqual([
      "intent inner",
      "outcome inner",
      "intent outer",
      "outcome outer",
    ]);
    expect(textOf(await result)).toBe("inner ran");
  });
});
