import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BatchOrder } from "../../../src/core/dispatch/batch-order.ts";
import { conflicts, type ResourceHold } from "../../../src/core/dispatch/resource-table.ts";

type Mode = "read" | "write";
type Wish = readonly (readonly [key: string, mode: Mode])[] | "exclusive";

const WISH: fc.Arbitrary<Wish> = fc.oneof(
  { arbitrary: fc.constant<Wish>([]), weight: 2 },
  {
    arbitrary: fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.constantFrom<Mode>("read", "write")), {
      minLength: 1,
      maxLength: 2,
    }),
    weight: 5,
  },
  { arbitrary: fc.constant<Wish>("exclusive"), weight: 1 },
);

function holdOf(wish: Wish, at: number): ResourceHold {
  const keys = wish === "exclusive" ? [] : wish.map(([key, mode]) => ({ key, mode }));
  return { callId: `c${at}`, name: "t", keys, exclusive: wish === "exclusive", parent: undefined, holdLink: undefined };
}

/** A batch whose calls wait as calls do: again and again, from one change to the next, until nothing is in their way. */
class Batch {
  readonly order: BatchOrder;
  readonly holds: readonly ResourceHold[];
  readonly running = new Set<number>();
  readonly settled = new Set<number>();
  readonly #declared = new Set<number>();

  constructor(wishes: readonly Wish[]) {
    this.holds = wishes.map(holdOf);
    this.order = new BatchOrder(wishes.length);
  }

  holdAt(place: number): ResourceHold {
    const hold = this.holds[place];
    if (!hold) throw new Error(`no call at ${place}`);
    return hold;
  }

  /** The next thing that can happen to this call: it declares, is refused before that, or settles while it runs. */
  step(place: number, isRefused: boolean): void {
    if (this.settled.has(place)) this.order.settle(place);
    else if (this.#declared.has(place)) this.#end(place);
    else if (isRefused) this.#settle(place);
    else {
      this.#declared.add(place);
      this.order.declare(place, this.holdAt(place));
      void this.#run(place);
    }
  }

  #end(place: number): void {
    if (this.running.delete(place)) this.#settle(place);
  }

  #settle(place: number): void {
    this.settled.add(place);
    this.order.settle(place);
  }

  async #run(place: number): Promise<void> {
    const hold = this.holdAt(place);
    while (this.order.blockerOf(place, hold) !== undefined) await this.order.nextChange();
    this.running.add(place);
  }

  /** Where each call stands once everything that can go on has. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  mustRun(place: number): boolean {
    if (!this.#declared.has(place) || this.settled.has(place)) return false;
    for (let earlier = 0; earlier < place; earlier += 1) {
      if (this.settled.has(earlier)) continue;
      if (!this.#declared.has(earlier) || conflicts(this.holdAt(earlier), this.holdAt(place))) return false;
    }
    return true;
  }
}

describe("BatchOrder", () => {
  test("who waits from change to change runs exactly when nothing is in the way, and nobody waits for ever", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(WISH, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(5), fc.boolean()), { maxLength: 24 }),
        async (wishes, steps) => {
          const batch = new Batch(wishes);
          const look = async (): Promise<void> => {
            await batch.settle();
            const places = [...wishes.keys()];
            expect(places.filter((place) => batch.running.has(place))).toEqual(
              places.filter((place) => batch.mustRun(place)),
            );
          };
          for (const [pick, isRefused] of steps) {
            batch.step(pick % wishes.length, isRefused);
            await look();
          }
          // Whatever has not happened yet happens now, last call first.
          for (let round = 0; round < wishes.length + 1; round += 1) {
            for (let place = wishes.length - 1; place >= 0; place -= 1) batch.step(place, false);
            await look();
          }
          expect(batch.settled.size).toBe(wishes.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("a call that is over before it said what it touches holds up nobody", () => {
    const batch = new Batch([[["a", "write"]], [["a", "write"]]]);
    expect(batch.order.blockerOf(1, batch.holdAt(1))).toBe("undeclared");
    batch.order.settle(0);
    expect(batch.order.blockerOf(1, batch.holdAt(1))).toBeUndefined();
  });

  test("the first call waits for nobody, whatever it touches", () => {
    const batch = new Batch(["exclusive", [["a", "write"]]]);
    batch.order.declare(1, batch.holdAt(1));
    expect(batch.order.blockerOf(0, batch.holdAt(0))).toBeUndefined();
  });

  test("it names the call that is in the way", () => {
    const batch = new Batch([[["a", "read"]], [["b", "write"]], [["b", "write"]], "exclusive"]);
    for (const [place, hold] of batch.holds.entries()) batch.order.declare(place, hold);
    expect(batch.order.blockerOf(2, batch.holdAt(2))).toBe(batch.holdAt(1));
    expect(batch.order.blockerOf(3, batch.holdAt(3))).toBe(batch.holdAt(0));
  });
});
