import type { Disk } from "./disk.ts";
import type { Problem } from "./problem.ts";
import type { Head } from "./read-journal.ts";
import { readSession, type RecordedEntry } from "./read-session.ts";

/** A session's record as one JSON document. */
export interface SessionExport {
  readonly v: 1;
  readonly session: string;
  readonly head: Head;
  /** With their long texts. */
  readonly entries: readonly RecordedEntry[];
  readonly problems: readonly Problem[];
}

/** Everything that a session's record holds, with the long texts in place, ready for JSON.stringify. */
export function exportSession(
  folder: string,
  { disk, sessionId }: { readonly disk: Disk; readonly sessionId: string },
): SessionExport {
  const { recorded, problems, head } = readSession(folder, disk);
  return { v: 1, session: sessionId, head, entries: recorded, problems };
}
