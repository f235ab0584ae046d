/** The time port. A host may pass its own; tests pass a manual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `run` once, `ms` milliseconds from now at the earliest. Returns the cancellation, which is idempotent. */
  after(ms: number, run: () => void): () => void;
}
