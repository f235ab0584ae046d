import type { JsonObject } from "../core/json.ts";

/**
 * Where a record leaves its session. "calling": a call's intent has no outcome; it runs, or, when no process has the
 * session, was interrupted. "asking": an approval was asked for and not answered. "damaged": no line can be read.
 */
export type SessionState = "ready" | "calling" | "asking" | "closed" | "damaged";

/** Reads the state off the entries. It is stored nowhere, so it cannot contradict them. */
export function sessionState(entries: Iterable<JsonObject>): SessionState {
  const running = new Set<unknown>();
  const asked = new Set<unknown>();
  let last: unknown;
  for (const { type, callId } of entries) {
    last = type;
    if (type === "approval-requested") asked.add(callId);
    else asked.delete(callId);
    if (type === "intent") running.add(callId);
    if (type === "outcome") running.delete(callId);
  }
  if (last === undefined) return "damaged";
  if (last === "session-closed") return "closed";
  if (asked.size > 0) return "asking";
  return running.size > 0 ? "calling" : "ready";
}
