import fc from "fast-check";
import {
  type AgentTool,
  createAgentSession,
  type Hook,
  type HookContext,
  type ToolCall,
  type ToolResult,
} from "toolmap";
import { manualClock } from "toolmap/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTool } from "../support/tools.ts";

/**
 * Random batches under a scheduler that decides the order in which everything pending happens: hooks, executors, aborts,
 * deadlines, late settles. The long run is for continuous integration: TOOLMAP_LONG=1.
 */
const RUNS = process.env["TOOLMAP_LONG"] === "1" ? 100_000 : 1500;

/** What one call is to do. */
interface Plan {
  readonly key: "none" | "a" | "b" | "both";
  readonly executor: "at once" | "later" | "throws" | "rejects" | "never" | "heeds the abort" | "nests" | "counts";
  readonly hook: "none" | "waits" | "throws" | "rewrites" | "blocks" | "replaces" | "never" | "nests";
  readonly concurrent: boolean;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  key: fc.constantFrom("none", "none", "a", "b", "both"),
  executor: fc.constantFrom(
    "at once",
    "later",
    "later",
    "throws",
    "rejects",
    "never",
    "heeds the abort",
    "nests",
    "counts",
    "counts",
  ),
  hook: fc.constantFrom("none", "none", "waits", "throws", "rewrites", "blocks", "replaces", "never", "nests"),
  concurrent: fc.boolean(),
});
/** What happens beside the calls, in between whatever the scheduler lets happen. */
const disturbance = fc.constantFrom(
  "nothing",
  "nothing",
  "nothing",
  "abort the session",
  "abort the batch",
  "hook deadline",
  "tool deadline",
  "grace",
);

const unhandled: unknown[] = [];
const remember = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on("unhandledRejection", remember));
afterAll(() => void process.off("unhandledRejection", remember));

const HOOK_MS = 100;
const TOOL_MS = 1000;
const GRACE_MS = 50;

/** A world in which nothing goes on by itself: every wait is a gate, and the test opens the gates in any order. */
class World {
  readonly clock = manualClock();
  readonly gates: (() => void)[] = [];
  readonly running = new Map<string, Plan>();
  readonly faults: string[] = [];
  /** A call that started while one that it conflicts with was still at work. */
  readonly overlaps: (readonly [id: string, other: string])[] = [];
  readonly started = new Set<string>();
  readonly aborted = new Set<string>();
  readonly inside = new Set<object>();
  counter = 0;
  counted = 0;

  wait(): Promise<void> {
    return new Promise((resolve) => this.gates.push(resolve));
  }

  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Two executors that conflict are at work at once only when one was given up: then the other's result has to name it. */
  enter(id: string, own: Plan): void {
    for (const [other, theirs] of this.running) {
      if (conflict(own, theirs)) this.overlaps.push([id, other]);
    }
    if (this.aborted.has(id)) this.faults.push(`${id} started after its abort`);
    if (this.started.has(id)) this.faults.push(`${id} started twice`);
    this.started.add(id);
    this.running.set(id, own);
  }
}

function conflict(left: Plan, right: Plan): boolean {
  if (left.key === "none" || right.key === "none") return false;
  return left.key === right.key || left.key === "both" || right.key === "both";
}

function toolOf(world: World, plans: ReadonlyMap<string, Plan>): AgentTool {
  const planOf = (input: { readonly id?: unknown }): Plan | undefined => plans.get(String(input.id));
  return makeTool(
    "work",
    async (input, { signal, dispatch }) => {
      const id = String(input["id"]);
      const own = plans.get(id);
      if (!own) throw new Error(`unplanned ${id}`);
      world.enter(id, own);
      try {
        return await execute(world, own, { signal, dispatch });
      } finally {
        world.running.delete(id);
      }
    },
    {
      rest: {
        resources: (input) => {
          const key = planOf(input)?.key;
          return key === "a" || key === "b"
            ? [{ key, mode: "write" }]
            : key === "both"
              ? [
                  { key: "a", mode: "write" },
                  { key: "b", mode: "write" },
                  { key: "x", mode: "write" },
                ]
              : [];
        },
      },
    },
  );
}

async function execute(
  world: World,
  { executor, key }: Plan,
  { signal, dispatch }: { readonly signal: AbortSignal; readonly dispatch: (call: ToolCall) => Promise<ToolResult> },
): Promise<unknown> {
  switch (executor) {
    case "at once":
      return "done";
    case "throws":
      throw new Error("broken");
    case "rejects":
      await world.wait();
      return Promise.reject(undefined);
    case "never":
      return new Promise(() => undefined);
    case "heeds the abort":
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason as Error);
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    case "nests":
      return (await dispatch({ name: "inner" })).outcome;
    case "counts": {
      // The counter belongs to key a: whoever does not hold that may not touch it.
      if (key !== "a" && key !== "both") return world.wait();
      const before = world.counter;
      await world.wait();
      world.counter = before + 1;
      world.counted += 1;
      return "counted";
    }
    case "later":
      await world.wait();
      return "done later";
  }
}

/** Hooks that note when they are inside the lock: from their start to their end, or to the end of their context. */
function hooksOf(world: World, plans: ReadonlyMap<string, Plan>): readonly Hook[] {
  const run = async (id: string, concurrent: boolean, { dispatch, signal }: HookContext): Promise<unknown> => {
    const own = plans.get(id);
    if (!own || own.concurrent !== concurrent || own.hook === "none") return undefined;
    if (world.aborted.has(id)) world.faults.push(`a hook of ${id} started after its abort`);
    const turn = {};
    const leave = (): void => void world.inside.delete(turn);
    const enter = (): void => {
      if (concurrent || signal.aborted) return;
      world.inside.add(turn);
      if (world.inside.size > 1) world.faults.push("two hooks under one lock");
    };
    signal.addEventListener("abort", leave);
    enter();
    try {
      if (own.hook === "never") return await new Promise(() => undefined);
      if (own.hook === "nests") {
        leave();
        await dispatch({ name: "inner" });
        enter();
        return undefined;
      }
      await world.wait();
      if (own.hook === "throws") throw new Error("hook broken");
      if (own.hook === "rewrites") return { input: { id, changed: true } };
      if (own.hook === "blocks") return { block: "no" };
      return own.hook === "replaces" ? { result: "replaced" } : undefined;
    } finally {
      leave();
    }
  };
  return [true, false].map((concurrent) => ({
    name: concurrent ? "beside" : "under the lock",
    concurrent,
    tools: ["work"],
    beforeToolCall: (event, context) => run(String(event.input["id"]), concurrent, context) as Promise<undefined>,
  }));
}

test(
  "any schedule ends in exactly one result a call, in order, with nothing started after an abort and no update lost",
  { timeout: 600_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(), disturbance), { maxLength: 14 }),
        async (planned, steps) => {
          const world = new World();
          const plans = new Map(planned.map((each, at) => [`c${at}`, each]));
          const finished: string[] = [];
          const session = await createAgentSession({
            tools: [
              toolOf(world, plans),
              makeTool("inner", async () => {
                await world.wait();
                return "inner";
              }),
            ],
            hooks: hooksOf(world, plans).map((hook) => hook),
            limits: { hookMs: HOOK_MS, toolMs: TOOL_MS, graceMs: GRACE_MS },
            ports: { clock: world.clock },
          });
          session.observe((event) => {
            if (event.type === "tool-call-finished") finished.push(event.result.callId);
          });
          const controller = new AbortController();
          const ids = [...plans.keys()];
          const batch = session.dispatchBatch(
            ids.map((id) => ({ id, name: "work", input: { id } })),
            { signal: controller.signal },
          );
          await world.settle();
          for (const [pick, what] of steps) {
            await disturb(world, { session, controller, ids }, what);
            const [open] = world.gates.splice(pick % Math.max(1, world.gates.length), 1);
            open?.();
            await world.settle();
          }
          const results = await drain(world, batch);

          expect(results.map(({ callId }) => callId)).toEqual(ids);
          for (const result of results) {
            expect(result.isError).toBe(result.outcome !== "ok");
            expect(result.content.length).toBeGreaterThan(0);
            expect(Object.isFrozen(result) && Object.isFrozen(result.content)).toBe(true);
          }
          expect(finished.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
          expect(world.faults).toEqual([]);
          for (const [id, other] of world.overlaps) {
            expect(results[ids.indexOf(id)]?.details?.notes?.join()).toContain(`(${other}) was given up`);
          }
          if (world.overlaps.length === 0) expect(world.counter).toBe(world.counted);
          const closing = session.close();
          await world.clock.advance(GRACE_MS);
          const { late } = await closing;
          expect(
            late
              .map(({ callId }) => callId)
              .filter((id) => ids.includes(id))
              .toSorted(),
          ).toEqual([...world.running.keys()].toSorted());
          await world.settle();
          expect(world.clock.pending).toBe(0);
          expect(unhandled).toEqual([]);
        },
      ),
      { numRuns: RUNS },
    );
  },
);

async function disturb(
  world: World,
  {
    session,
    controller,
    ids,
  }: { readonly session: { abort(): void }; readonly controller: AbortController; readonly ids: readonly string[] },
  what: string,
): Promise<void> {
  if (what === "hook deadline") await world.clock.advance(HOOK_MS);
  if (what === "tool deadline") await world.clock.advance(TOOL_MS);
  if (what === "grace") await world.clock.advance(GRACE_MS);
  if (what !== "abort the session" && what !== "abort the batch") return;
  for (const id of ids) world.aborted.add(id);
  if (what === "abort the session") session.abort();
  else controller.abort();
}

/** Opens every gate and lets time pass until the batch is answered. */
async function drain<T>(world: World, batch: Promise<T>): Promise<T> {
  const answers: T[] = [];
  void batch.then((value) => answers.push(value));
  for (let round = 0; answers.length === 0 && round < 400; round += 1) {
    for (const open of world.gates.splice(0)) open();
    await world.settle();
    if (answers.length === 0 && round % 4 === 3) await world.clock.advance(TOOL_MS);
  }
  const [answer] = answers;
  if (answer === undefined) throw new Error("the batch was never answered");
  return answer;
}
