import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BatchOrder } from "../../../src/core/dispatch/batch-order.ts";
import {
  conflicts,
  type HoldWait,
  type ResourceHold,
  ResourceTable,
} from "../../../src/core/dispatch/resource-table.ts";

interface Wish {
  readonly keys: readonly { readonly key: string; readonly mode: "read" | "write" }[];
  readonly exclusive: boolean;
}

const WISH: fc.Arbitrary<Wish> = fc.record({
  keys: fc.array(fc.record({ key: fc.constantFrom("a", "b", "c"), mode: fc.constantFrom("read", "write") }), {
    maxLength: 2,
  }),
  exclusive: fc.constant(false),
});
const ANY: fc.Arbitrary<Wish> = fc.oneof(
  { arbitrary: WISH, weight: 5 },
  { arbitrary: fc.constant<Wish>({ keys: [], exclusive: true }), weight: 1 },
);

function holdsOf(wishes: readonly Wish[]): ResourceHold[] {
  return wishes.map(({ keys, exclusive }, at) => ({
    callId: `c${at}`,
    name: `t${at}`,
    keys,
    exclusive,
    parent: undefined,
    holdLink: undefined,
  }));
}

/** A promise's state after everything that can settle has. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  for (let tick = 0; tick < 3; tick += 1) await Promise.resolve();
  return settled;
}

describe("ResourceTable", () => {
  test("whatever comes, leaves and is given up in whatever order: no two that conflict hold at once, and all get their turn", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ANY, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(20), { maxLength: 40 }),
        async (wishes, choices) => {
          const table = new ResourceTable();
          const holds = holdsOf(wishes);
          const waits = new Map<ResourceHold, HoldWait>();
          const holding = new Set<ResourceHold>();
          const had = new Set<ResourceHold>();
          const look = async (): Promise<void> => {
            for (const [hold, wait] of waits) {
              if (!(await isSettled(wait.granted))) continue;
              waits.delete(hold);
              holding.add(hold);
              had.add(hold);
            }
            const all = [...holding];
            for (const [at, one] of all.entries())
              for (const other of all.slice(at + 1)) expect(conflicts(one, other)).toBe(false);
          };
          for (const hold of holds) {
            if (table.tryTake(hold)) {
              holding.add(hold);
              had.add(hold);
            } else waits.set(hold, table.wait(hold));
            await look();
          }
          for (const choice of choices) {
            const holders = [...holding];
            const hold = holders[choice % Math.max(1, holders.length)];
            if (!hold) break;
            holding.delete(hold);
            table.release(hold);
            table.release(hold);
            await look();
          }
          for (const hold of holding) table.release(hold);
          holding.clear();
          while (waits.size > 0) {
            await look();
            expect(holding.size).toBeGreaterThan(0);
            for (const hold of holding) table.release(hold);
            holding.clear();
          }
          expect(had.size).toBe(holds.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("the queue is fair: a reader that comes after a writer who waits stands behind it", async () => {
    const table = new ResourceTable();
    const [first, writer, late] = holdsOf([
      { keys: [{ key: "a", mode: "read" }], exclusive: false },
      { keys: [{ key: "a", mode: "write" }], exclusive: false },
      { keys: [{ key: "a", mode: "read" }], exclusive: false },
    ]) as [ResourceHold, ResourceHold, ResourceHold];
    expect(table.tryTake(first)).toBe(true);
    expect(table.tryTake(writer)).toBe(false);
    const wait = table.wait(writer);
    expect(table.tryTake(late)).toBe(false);
    const behind = table.wait(late);
    table.release(first);
    expect(await isSettled(wait.granted)).toBe(true);
    expect(await isSettled(behind.granted)).toBe(false);
    expect(behind.holder()).toBe(writer);
    table.release(writer);
    expect(await isSettled(behind.granted)).toBe(true);
  });

  test("whoever leaves the queue lets those behind go on, and a nested call never waits for its parent", async () => {
    const table = new ResourceTable();
    const write = { keys: [{ key: "a", mode: "write" as const }], exclusive: false };
    const read = { keys: [{ key: "a", mode: "read" as const }], exclusive: false };
    const [first, writer, late] = holdsOf([read, write, read]) as [ResourceHold, ResourceHold, ResourceHold];
    table.tryTake(first);
    const wait = table.wait(writer);
    const behind = table.wait(late);
    wait.leave();
    wait.leave();
    expect(await isSettled(behind.granted)).toBe(true);
    const nested: ResourceHold = { ...writer, parent: first, holdLink: undefined };
    table.release(late);
    expect(table.tryTake(nested)).toBe(true);
  });

  test("what is given up holds nobody up and is named to whoever conflicts, until it settles", () => {
    const table = new ResourceTable();
    const write = { keys: [{ key: "a", mode: "write" as const }], exclusive: false };
    const [late, next] = holdsOf([write, write]) as [ResourceHold, ResourceHold];
    table.tryTake(late);
    table.giveUp(late);
    expect(table.tryTake(next)).toBe(true);
    expect(table.overdueFor(next)).toEqual([late]);
    table.release(late);
    expect(table.overdueFor(next)).toEqual([]);
  });

  test("conflicts is symmetric, and nothing conflicts with itself or with what it is nested in", () => {
    fc.assert(
      fc.property(ANY, ANY, (one, other) => {
        const [a, b] = holdsOf([one, other]) as [ResourceHold, ResourceHold];
        expect(conflicts(a, b)).toBe(conflicts(b, a));
        expect(conflicts(a, a)).toBe(false);
        const nested: ResourceHold = { ...b, parent: a };
        expect(conflicts(a, nested) || conflicts(nested, a)).toBe(false);
      }),
    );
  });
});

describe("BatchOrder", () => {
  test("no call overtakes an earlier one that conflicts, and none waits once all before it have settled", () => {
    fc.assert(
      fc.property(
        fc.array(ANY, { minLength: 2, maxLength: 8 }),
        fc.array(fc.nat(7), { maxLength: 24 }),
        (wishes, choices) => {
          const holds = holdsOf(wishes);
          const order = new BatchOrder(holds.length);
          const declared = new Set<number>();
          const settled = new Set<number>();
          for (const choice of [...choices, ...holds.keys(), ...holds.keys()]) {
            const place = choice % holds.length;
            const hold = holds[place];
            if (!hold) continue;
            if (!declared.has(place)) {
              order.declare(place, hold);
              declared.add(place);
            } else {
              order.settle(place);
              settled.add(place);
            }
            for (const [at, each] of holds.entries()) {
              const earlier = [...holds.keys()].slice(0, at);
              const blocker = order.blockerOf(at, each);
              const waits =
                earlier.some((before) => !declared.has(before)) ||
                earlier.some((before) => !settled.has(before) && conflicts(holds[before] as ResourceHold, each));
              expect(blocker !== undefined).toBe(waits);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
