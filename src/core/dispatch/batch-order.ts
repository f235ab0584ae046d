import { conflicts, type ResourceHold } from "./resource-table.ts";

/**
 * The order within one batch: a call waits until each earlier call has declared its keys or settled, and until each
 * earlier one that conflicts has settled. All else overlaps.
 */
export class BatchOrder {
  readonly #declared: boolean[];
  /** Every call before this place has declared or settled. */
  #declaredUpTo = 0;
  /** Declared and not settled, by place. */
  readonly #holds: (ResourceHold | undefined)[];
  /** Those of them that hold something, in call order of their declaration: most calls hold nothing and need no look. */
  readonly #keyed = new Map<number, ResourceHold>();
  #changed: (() => void)[] = [];

  constructor(size: number) {
    this.#declared = Array.from({ length: size }, () => false);
    this.#holds = Array.from({ length: size }, () => undefined);
  }

  /** The call at this place wants to hold these. */
  declare(place: number, hold: ResourceHold): void {
    this.#holds[place] = hold;
    if (hold.exclusive || hold.keys.length > 0) this.#keyed.set(place, hold);
    this.#markDeclared(place);
  }

  /** The call at this place is over, or its executor has settled. Idempotent. */
  settle(place: number): void {
    const wasOpen = this.#holds[place] !== undefined;
    this.#holds[place] = undefined;
    this.#keyed.delete(place);
    if (this.#declared[place] !== true) this.#markDeclared(place);
    else if (wasOpen) this.#wake();
  }

  /** The earlier call that this one has to wait for; `undeclared` while one of them may still declare anything. */
  blockerOf(place: number, hold: ResourceHold): ResourceHold | "undeclared" | undefined {
    if (place > this.#declaredUpTo) return "undeclared";
    if (hold.exclusive) return this.#holds.slice(0, place).find((other) => other && conflicts(other, hold));
    if (this.#keyed.size === 0) return undefined;
    for (const [earlier, other] of this.#keyed) {
      if (earlier < place && conflicts(other, hold)) return other;
    }
    return undefined;
  }

  /** Settles at the next declaration or settlement. */
  nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed.push(resolve);
    });
  }

  #markDeclared(place: number): void {
    this.#declared[place] = true;
    const before = this.#declaredUpTo;
    while (this.#declared[this.#declaredUpTo] === true) this.#declaredUpTo += 1;
    if (this.#declaredUpTo !== before) this.#wake();
  }

  #wake(): void {
    if (this.#changed.length === 0) return;
    const waiting = this.#changed;
    this.#changed = [];
    for (const resolve of waiting) resolve();
  }
}
