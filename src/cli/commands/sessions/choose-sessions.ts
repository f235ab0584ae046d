import type { SessionSummary } from "../../../journal/session-summary.ts";
import { findSession } from "./find-session.ts";

/** Which sessions: those for which everything that is given speaks. */
export interface Choice {
  /** Ids or beginnings of ids; none = any. */
  readonly ids: readonly string[];
  /** Milliseconds. */
  readonly olderThan?: number;
  /** All but the newest so many. */
  readonly keep?: number;
}

export interface Chosen {
  readonly chosen: readonly SessionSummary[];
  /** Those that were named and that another condition spares. */
  readonly spared: readonly SessionSummary[];
}

/** Chooses among sessions, which stand newest first. Throws `unknown-session`. */
export function chooseSessions(
  { ids, olderThan, keep = 0 }: Choice,
  { sessions, now }: { readonly sessions: readonly SessionSummary[]; readonly now: number },
): Chosen {
  const named = new Set(ids.map((word) => findSession(word, sessions)));
  const isOld = ({ changedAt }: SessionSummary): boolean =>
    olderThan === undefined || now - Date.parse(changedAt) > olderThan;
  const wanted = sessions.slice(keep).filter(isOld);
  const chosen = ids.length === 0 ? wanted : wanted.filter((each) => named.has(each));
  const isChosen = new Set(chosen);
  return { chosen, spared: [...named].filter((each) => !isChosen.has(each)) };
}
