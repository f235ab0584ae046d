/** A stage's verdict. `depends`: on the input, or on a hook that is listed and not run. */
export type Verdict = "pass" | "hide" | "allow" | "ask" | "deny" | "depends";

/** One stage of a call, as `explain` shows it. */
export interface TraceStep {
  readonly stage: string;
  readonly verdict: Verdict;
  readonly message: string;
  readonly rule?: string;
  /** `file:line`. */
  readonly source?: string;
}

/** Dispatch stopped before the approval. */
export interface Explanation {
  readonly name: string;
  readonly origin: string;
  readonly visible: boolean;
  readonly active: boolean;
  readonly verdict: "allow" | "ask" | "deny" | "depends";
  readonly trace: readonly TraceStep[];
  readonly fix?: string;
}
