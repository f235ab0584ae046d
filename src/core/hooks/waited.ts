import type { Clock } from "../clock.ts";

/** How a bounded wait ended. */
export type Waited<T> =
  | { readonly kind: "settled"; readonly value: T }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "cancelled" }
  | { readonly kind: "timed-out" };

/** Waits for `work`, `ms` milliseconds at most. Never rejects. */
export function waitBounded<T>(
  clock: Clock,
  work: PromiseLike<T>,
  ms: number,
): Promise<Exclude<Waited<T>, { readonly kind: "cancelled" }>> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve({ kind: "timed-out" }));
    Promise.resolve(work)
      .then(
        (value) => resolve({ kind: "settled", value }),
        (error: unknown) => resolve({ kind: "failed", error }),
      )
      .finally(cancel);
  });
}
