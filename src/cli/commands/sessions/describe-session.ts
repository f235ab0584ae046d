import type { Holder } from "../../../journal/lease-name.ts";
import type { SessionState } from "../../../journal/session-state.ts";
import type { SessionSummary } from "../../../journal/session-summary.ts";

/**
 * "open": a process has it. "interrupted": a call was under way when its process ended. The others as its record says:
 * "ready", "asking" (for an approval that nobody has given), "closed", "damaged" (no line can be read).
 */
export type ShownState = "open" | "interrupted" | Exclude<SessionState, "calling">;

/** A session in a document. */
export interface SessionDocument extends Omit<SessionSummary, "state"> {
  readonly state: ShownState;
  /** Who has it open: on which machine, and until when without saying so again (ISO 8601). */
  readonly holder?: { readonly pid: number; readonly machine: string; readonly until: string };
}

export function describeSession(summary: SessionSummary, holder: Holder | undefined): SessionDocument {
  const { id, openedAt, changedAt, lines, bytes, title, problems } = summary;
  const rest = { openedAt, changedAt, lines, bytes, title, problems };
  if (!holder) return { id, state: withoutHolder(summary.state), ...rest };
  const { pid, machine, until } = holder;
  return { id, state: "open", holder: { pid, machine, until: isoTime(until) }, ...rest };
}

function withoutHolder(state: SessionState): ShownState {
  return state === "calling" ? "interrupted" : state;
}

/** What stands in a lock's name may be no time that a calendar has. */
function isoTime(ms: number): string {
  return new Date(Math.min(ms, 8.64e15)).toISOString();
}
