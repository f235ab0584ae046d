import type { CallRun } from "./call-run.ts";

/** A step returns nothing, or what calls back when it has to wait. `run.refuse` in it ends the call. */
export type Step = (run: CallRun) => void | Waiting;

/** A promise, or the one thing that costs less: it calls one of the two back, once. */
export interface Waiting {
  then(goOn: () => void, fail: (error: unknown) => void): unknown;
}
