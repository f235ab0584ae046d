import type { ToolResult } from "../tool/result.ts";
import type { GivenCall } from "./read-call.ts";
import { sameValue } from "./same-value.ts";

type GuardedCall = Pick<GivenCall, "name" | "input">;

/** The calls of one turn with what came of them. */
export interface GuardedTurn {
  readonly calls: readonly GuardedCall[];
  readonly results: readonly ToolResult[];
}

/** From how many identical repeats on the result says so, and at which one the loop ends. */
export const NOTICE_AT = 3;
export const STOP_AT = 6;

/** A loop of one, two or three turns is seen: the same call again, ping-pong, and a round of three. */
const LONGEST_CYCLE = 3;

/**
 * Sees a model that goes round in circles: turns whose calls, inputs and results are all the same as before. A changed
 * result or a changed input is progress and starts the count again. Remembers a bounded number of turns.
 */
export class LoopGuard {
  /** Latest first. */
  readonly #turns: GuardedTurn[] = [];
  /** How many turns in a row equal the one `cycle` turns before, by cycle length less one. */
  readonly #runs: number[] = Array.from({ length: LONGEST_CYCLE }, () => 0);

  /** Whether these calls would be the repeat at which the loop ends. */
  wouldStop(calls: readonly GuardedCall[]): boolean {
    for (let cycle = 1; cycle <= LONGEST_CYCLE; cycle += 1) {
      const before = this.#turns[cycle - 1];
      if (!before || repeatsAfter((this.#runs[cycle - 1] ?? 0) + 1, cycle) < STOP_AT) continue;
      if (sameCalls(before.calls, calls)) return true;
    }
    return false;
  }

  /** Records a turn. Returns how often its cycle has now been repeated, 1 for a turn that is new. */
  add(turn: GuardedTurn): number {
    let repeats = 1;
    for (let cycle = 1; cycle <= LONGEST_CYCLE; cycle += 1) {
      const before = this.#turns[cycle - 1];
      const run = before && sameTurn(before, turn) ? (this.#runs[cycle - 1] ?? 0) + 1 : 0;
      this.#runs[cycle - 1] = run;
      repeats = Math.max(repeats, repeatsAfter(run, cycle));
    }
    this.#turns.unshift(turn);
    if (this.#turns.length > LONGEST_CYCLE) this.#turns.pop();
    return repeats;
  }
}

function repeatsAfter(run: number, cycle: number): number {
  return Math.floor(run / cycle) + 1;
}

function sameTurn(left: GuardedTurn, right: GuardedTurn): boolean {
  return (
    sameCalls(left.calls, right.calls) && left.results.every((result, at) => sameResult(result, right.results[at]))
  );
}

function sameCalls(left: readonly GuardedCall[], right: readonly GuardedCall[]): boolean {
  if (left.length !== right.length || left.length === 0) return false;
  return left.every(({ name, input }, at) => name === right[at]?.name && sameInput(input, right[at]?.input));
}

/** As a value where it is text: a shuffled member order is the same call. */
function sameInput(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  return sameValue(valueOf(left), valueOf(right));
}

function valueOf(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function sameResult(left: ToolResult, right: ToolResult | undefined): boolean {
  return right !== undefined && left.outcome === right.outcome && sameValue(left.content, right.content);
}
