/** The bounds of one call, all given. Milliseconds and UTF-8 bytes. */
export interface CallLimits {
  readonly toolMs: number;
  readonly hookMs: number;
  readonly approvalMs: number;
  readonly keyWaitMs: number;
  /** How long one entry of the journal may take; no option, since a disk that takes longer is broken. */
  readonly journalMs: number;
  readonly graceMs: number;
  readonly resultBytes: number;
}

/** Every default in one place. `resultBytes` lies above a page of the built-in `read`. */
export const DEFAULT_CALL_LIMITS: CallLimits = Object.freeze({
  toolMs: 10 * 60_000,
  hookMs: 5000,
  approvalMs: 5 * 60_000,
  keyWaitMs: 5 * 60_000,
  journalMs: 30_000,
  graceMs: 5000,
  resultBytes: 64 * 1024,
});

/** How deep calls may nest: a tool that dispatches itself ends as a result and not as a full heap. */
export const DEEPEST_NESTING = 32;
