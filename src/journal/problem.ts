/** What a reader finds wrong with a journal. */
export type ProblemKind =
  /** The end of the file is no whole line: a write was cut off. The next opening cuts it away and keeps a copy. */
  | "torn-tail"
  /** A line that is none, or that was changed after it was written. Skipped. */
  | "damaged-line"
  /** A line does not follow the one before it: lines are missing, added or in another order. */
  | "chain-broken"
  /** A writer that had lost the session wrote this. Ignored. */
  | "stale-fence"
  /** A newer version wrote this. Kept, and not read. */
  | "newer-version"
  /** The text of a large value is not there, or is not what was written. */
  | "missing-blob"
  /** The journal does not end where it is known to end. */
  | "other-head";

export interface Problem {
  readonly kind: ProblemKind;
  /** Line of the file, from 1. */
  readonly line: number;
  /** Where that line begins, in bytes from the start of the file. */
  readonly offset: number;
  /** Its length in bytes, without the newline. */
  readonly bytes: number;
  readonly message: string;
}
