import fc from "fast-check";
import { expect, test } from "vitest";
import {
  conflicts,
  type HoldWait,
  type ResourceHold,
  ResourceTable,
} from "../../../src/core/dispatch/resource-table.ts";

type Mode = "read" | "write";

/** What a call wants, and which of the calls that hold something when it comes it is nested in. */
interface Wish {
  readonly keys: readonly (readonly [key: string, mode: Mode])[];
  readonly exclusive: boolean;
  readonly parent: number | undefined;
}

const WISH: fc.Arbitrary<Wish> = fc.record({
  keys: fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom<Mode>("read", "write")), { maxLength: 2 }),
  exclusive: fc.integer({ min: 0, max: 5 }).map((each) => each === 0),
  parent: fc.option(fc.nat(5), { nil: undefined }),
});

type Step =
  | { readonly kind: "comes"; readonly wish: Wish }
  | { readonly kind: "releases" | "leaves" | "is given up" | "settles late"; readonly pick: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("comes" as const), wish: WISH }), weight: 4 },
  {
    arbitrary: fc.record({
      kind: fc.constantFrom("releases", "releases", "leaves", "is given up", "settles late"),
      pick: fc.nat(10),
    }),
    weight: 5,
  },
);

/** A table, and beside it what must be true of it. */
class Model {
  readonly table = new ResourceTable();
  readonly holding: ResourceHold[] = [];
  readonly waiting = new Map<ResourceHold, HoldWait>();
  readonly overdue: ResourceHold[] = [];
  #count = 0;

  come({ keys, exclusive, parent }: Wish): void {
    this.#count += 1;
    const hold: ResourceHold = {
      callId: `c${this.#count}`,
      name: "t",
      keys: keys.map(([key, mode]) => ({ key, mode })),
      exclusive,
      parent: parent === undefined ? undefined : this.holding[parent % Math.max(1, this.holding.length)],
      holdLink: undefined,
    };
    const isFree = this.#isFree(hold, [...this.waiting.keys()]);
    expect(this.table.tryTake(hold)).toBe(isFree);
    if (isFree) {
      this.holding.push(hold);
      return;
    }
    const wait = this.table.wait(hold);
    this.waiting.set(hold, wait);
    void wait.granted.then(() => {
      this.waiting.delete(hold);
      this.holding.push(hold);
    });
  }

  release(pick: number): void {
    const [hold] = this.holding.splice(pick % Math.max(1, this.holding.length), 1);
    if (!hold) return;
    this.table.release(hold);
    this.table.release(hold);
  }

  leave(pick: number): void {
    const hold = [...this.waiting.keys()][pick % Math.max(1, this.waiting.size)];
    if (!hold) return;
    this.waiting.get(hold)?.leave();
    this.waiting.get(hold)?.leave();
    this.waiting.delete(hold);
  }

  giveUp(pick: number): void {
    const [hold] = this.holding.splice(pick % Math.max(1, this.holding.length), 1);
    if (!hold) return;
    this.table.giveUp(hold);
    this.table.giveUp(hold);
    this.overdue.push(hold);
  }

  settleLate(pick: number): void {
    const [hold] = this.overdue.splice(pick % Math.max(1, this.overdue.length), 1);
    if (hold) this.table.release(hold);
  }

  async look(): Promise<void> {
    for (let tick = 0; tick < 3; tick += 1) await Promise.resolve();
    for (const [at, one] of this.holding.entries())
      for (const other of this.holding.slice(at + 1)) expect(conflicts(one, other)).toBe(false);
    const ahead: ResourceHold[] = [];
    for (const [hold, wait] of this.waiting) {
      expect(this.#isFree(hold, ahead), `${hold.callId} waits for nothing`).toBe(false);
      const holder = wait.holder();
      expect(holder !== undefined && conflicts(holder, hold)).toBe(true);
      ahead.push(hold);
    }
    for (const hold of this.holding) {
      expect(new Set(this.table.overdueFor(hold))).toEqual(
        new Set(this.overdue.filter((other) => conflicts(other, hold))),
      );
    }
  }

  /** Nobody who holds is in the way, and, but for a nested call, nobody who came before and waits. */
  #isFree(hold: ResourceHold, ahead: readonly ResourceHold[]): boolean {
    const others = hold.parent === undefined ? [...this.holding, ...ahead] : this.holding;
    return !others.some((other) => conflicts(other, hold));
  }
}

test("ResourceTable grants at once what nothing is in the way of, and nothing else, with calls nested in any depth, leaving and given up", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 10, maxLength: 40 }), async (steps) => {
      const model = new Model();
      for (const step of steps) {
        if (step.kind === "comes") model.come(step.wish);
        else if (step.kind === "releases") model.release(step.pick);
        else if (step.kind === "leaves") model.leave(step.pick);
        else if (step.kind === "is given up") model.giveUp(step.pick);
        else model.settleLate(step.pick);
        await model.look();
      }
      while (model.holding.length > 0) {
        model.release(0);
        await model.look();
      }
      expect(model.waiting.size).toBe(0);
    }),
    { numRuns: 1500 },
  );
});
