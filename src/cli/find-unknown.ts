import type { Explanation } from "../core/dispatch/explanation.ts";

/** What the session answers to a name that no tool of it has; undefined where it found one. */
export function findUnknown({ trace }: Explanation): string | undefined {
  return trace.find(({ stage, verdict }) => stage === "look-up" && verdict === "deny")?.message;
}
