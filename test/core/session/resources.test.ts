import { createAgentSession } from "toolmap";
import { expect, test } from "vitest";
import { gate, makeTool, settle, textOf } from "../../support/tools.ts";

/** A tool that runs until it is told, and says when it started. */
function held(log: string[]) {
  const gates = new Map<string, ReturnType<typeof gate<void>>>();
  const tool = makeTool(
    "work",
    async ({ id, key: _, ...rest }) => {
      log.push(`+${String(id)}`);
      const opened = gate();
      gates.set(String(id), opened);
      await opened.opened;
      log.push(`-${String(id)}`);
      return JSON.stringify(rest);
    },
    {
      rest: {
        resources: ({ key, mode }) =>
          typeof key === "string" ? [{ key, mode: mode === "read" ? "read" : "write" }] : [],
      },
    },
  );
  const finish = async (id: string): Promise<void> => {
    gates.get(id)?.open();
    await settle();
  };
  return { tool, finish };
}

test("DSP-01 calls on one key run one after another in call order, all else overlaps", async () => {
  const log: string[] = [];
  const { tool, finish } = held(log);
  const session = await createAgentSession({ tools: [tool] });
  const batch = session.dispatchBatch([
    { name: "work", input: { id: 1, key: "a" } },
    { name: "work", input: { id: 2, key: "a" } },
    { name: "work", input: { id: 3, key: "b" } },
    { name: "work", input: { id: 4 } },
  ]);
  await settle();
  expect(log).toEqual(["+1", "+3", "+4"]);
  await finish("1");
  expect(log).toContain("+2");
  for (const id of ["2", "3", "4"]) await finish(id);
  expect((await batch).every(({ outcome }) => outcome === "ok")).toBe(true);
});

test("readers of one key overlap, and a writer waits for them and holds up later readers", async () => {
  const log: string[] = [];
  const { tool, finish } = held(log);
  const session = await createAgentSession({ tools: [tool] });
  const batch = session.dispatchBatch([
    { name: "work", input: { id: 1, key: "a", mode: "read" } },
    { name: "work", input: { id: 2, key: "a", mode: "read" } },
    { name: "work", input: { id: 3, key: "a" } },
    { name: "work", input: { id: 4, key: "a", mode: "read" } },
  ]);
  await settle();
  expect(log).toEqual(["+1", "+2"]);
  await finish("1");
  await finish("2");
  expect(log.slice(-1)).toEqual(["+3"]);
  await finish("3");
  await finish("4");
  await batch;
});

test("an exclusive call conflicts with all, in its batch and between sessions", async () => {
  const log: string[] = [];
  const { tool, finish } = held(log);
  const alone = makeTool("alone", () => void log.push("alone"), { rest: { exclusive: true } });
  const [one, two] = [
    await createAgentSession({ tools: [tool, alone] }),
    await createAgentSession({ tools: [tool, alone] }),
  ];
  const busy = one.dispatch({ name: "work", input: { id: 1 } });
  await settle();
  const exclusive = two.dispatch({ name: "alone" });
  const after = two.dispatch({ name: "work", input: { id: 2 } });
  await settle();
  expect(log).toEqual(["+1"]);
  await finish("1");
  expect(log).toEqual(["+1", "-1", "alone", "+2"]);
  await finish("2");
  await Promise.all([busy, exclusive, after]);
});

test("a wait for a key is bounded and names the holder", async () => {
  const log: string[] = [];
  const { tool, finish } = held(log);
  const session = await createAgentSession({ tools: [tool], limits: { keyWaitMs: 20 } });
  const holder = session.dispatch({ id: "holder", name: "work", input: { id: 1, key: "k" } });
  const waiting = await session.dispatch({ name: "work", input: { id: 2, key: "k" } });
  expect(waiting.outcome).toBe("timed-out");
  expect(textOf(waiting)).toContain("holder");
  await finish("1");
  await holder;
  expect(log).toEqual(["+1", "-1"]);
});

test("a late executor keeps its keys until its grace is over; then others go on with a note that names it", async () => {
  const log: string[] = [];
  const { tool } = held(log);
  const session = await createAgentSession({ tools: [tool], limits: { toolMs: 20, graceMs: 40 } });
  const late = session.dispatch({ id: "late", name: "work", input: { id: 1, key: "z" } });
  const next = session.dispatch({ name: "work", input: { id: 2, key: "z" } });
  expect((await late).outcome).toBe("timed-out");
  const result = await next;
  expect(log).toEqual(["+1", "+2"]);
  expect(textOf(result)).toContain("late");
  expect((await session.close()).late.map(({ callId }) => callId)).toContain("late");
});

test("what a late executor returns is shown to nobody, its progress is dropped, and its rejection is handled", async () => {
  const end = gate<string>();
  const events: string[] = [];
  let report = (): void => undefined;
  const session = await createAgentSession({
    tools: [
      makeTool(
        "slow",
        (_, { progress }) => {
          report = () => progress({ message: "late news" });
          return end.opened;
        },
        { rest: { timeoutMs: 20 } },
      ),
    ],
  });
  session.observe(({ type }) => events.push(type));
  expect((await session.dispatch({ name: "slow" })).outcome).toBe("timed-out");
  report();
  end.fail(new Error("too late"));
  await settle();
  expect(events).toEqual(["tool-call-started", "tool-call-finished"]);
  expect((await session.close()).late).toEqual([]);
});

test("a nested call inherits caller, abort, deadline and held keys, and waits for no key of its parent", async () => {
  const seen: unknown[] = [];
  const inner = makeTool("inner", (_, { caller, deadline }) => void seen.push(caller.kind, Number.isFinite(deadline)), {
    rest: { resources: () => [{ key: "same", mode: "write" }] },
  });
  const outer = makeTool(
    "outer",
    async (_, { dispatch, deadline }) => {
      seen.push(deadline);
      return (await dispatch({ name: "inner" })).outcome;
    },
    { rest: { resources: () => [{ key: "same", mode: "write" }] } },
  );
  const session = await createAgentSession({ tools: [inner, outer] });
  const [result] = await session.beginTurn().dispatch([{ name: "outer" }]);
  expect(textOf(result ?? { content: [] })).toBe("ok");
  expect(seen.slice(1)).toEqual(["model", true]);
});

test("a tool that dispatches itself for ever ends in a result", async () => {
  const session = await createAgentSession({
    tools: [makeTool("again", async (_, { dispatch }) => dispatch({ name: "again" }))],
  });
  const result = await session.dispatch({ name: "again" });
  expect(result.outcome).toBe("error");
  expect(textOf(result)).toContain("nested");
});

test("ten parallel calls with a concurrent hook that waits overlap in the hook", async () => {
  const opened = gate();
  let inside = 0;
  const session = await createAgentSession({
    tools: [makeTool("t")],
    hooks: [
      {
        name: "slow",
        concurrent: true,
        beforeToolCall: async () => {
          inside += 1;
          await opened.opened;
        },
      },
    ],
  });
  const batch = session.dispatchBatch(Array.from({ length: 10 }, () => ({ name: "t" })));
  await settle();
  expect(inside).toBe(10);
  opened.open();
  expect((await batch).every(({ outcome }) => outcome === "ok")).toBe(true);
});

test("a hook that dispatches gives the lock back while the nested tool waits for a key that a call with a pending after-hook holds", async () => {
  const opened = gate();
  const session = await createAgentSession({
    tools: [
      makeTool(
        "holder",
        async () => {
          await opened.opened;
          return "held";
        },
        { rest: { resources: () => [{ key: "q", mode: "write" }] } },
      ),
      makeTool("needs", () => "got it", { rest: { resources: () => [{ key: "q", mode: "write" }] } }),
      makeTool("outer", () => "outer"),
    ],
    hooks: [
      { name: "after", tools: ["holder"], afterToolCall: async () => void (await settle()) },
      {
        name: "nesting",
        tools: ["outer"],
        beforeToolCall: async (_, { dispatch }) => ({ result: textOf(await dispatch({ name: "needs" })) }),
      },
    ],
  });
  const holder = session.dispatch({ name: "holder" });
  await settle();
  const outer = session.dispatch({ name: "outer" });
  await settle();
  let isFree = false;
  await session.runWithSessionWriteLock(() => {
    isFree = true;
  });
  expect(isFree).toBe(true);
  opened.open();
  expect(textOf(await holder)).toBe("held");
  expect(textOf(await outer)).toBe("got it");
});
