import path from "node:path";
import { nodeDisk } from "../../../journal/node-disk.ts";
import { JOURNAL_NAME } from "../../../journal/open-journal.ts";
import type { Problem } from "../../../journal/problem.ts";
import type { RecordedEntry } from "../../../journal/read-session.ts";
import type { Sessions } from "./open-sessions.ts";
import { watchFolder } from "./watch-folder.ts";

/** "left": nobody has the session, and it was not closed. "stopped": whoever watched did not want to any more. */
export type HowItEnded = "closed" | "left" | "gone" | "rewritten" | "stopped";

export interface FollowOptions {
  readonly sessions: Sessions;
  readonly signal: AbortSignal;
  /** Whether somebody still reads what is shown. */
  readonly isRead: () => boolean;
  readonly show: (entry: RecordedEntry) => void;
}

/** Shows the entries of a record, and each that another process adds, for as long as some process has the session. */
export async function followSession(
  id: string,
  { sessions, signal, isRead, show }: FollowOptions,
): Promise<{ readonly ended: HowItEnded; readonly problems: readonly Problem[] }> {
  const folder = sessions.folderOf(id);
  const record = new FollowedRecord(path.join(folder, JOURNAL_NAME), show);
  const changes = watchFolder(folder, signal);
  try {
    for (;;) {
      // Before the reading: what the holder wrote before it left is read after that.
      const isHeld = sessions.holderOf(id) !== undefined;
      const ended = await record.readOn(() => sessions.store.readSession(id));
      const { problems } = record;
      if (ended) return { ended, problems };
      if (!isHeld) return { ended: record.isClosed ? "closed" : "left", problems };
      if (signal.aborted || !isRead()) return { ended: "stopped", problems };
      await changes.next();
    }
  } finally {
    changes.close();
  }
}

interface Read {
  readonly recorded: readonly RecordedEntry[];
  readonly problems: readonly Problem[];
}

/** How far a record has been shown. */
class FollowedRecord {
  readonly #file: string;
  readonly #show: (entry: RecordedEntry) => void;
  #stamp = "";
  #count = 0;
  #last: RecordedEntry | undefined;
  problems: readonly Problem[] = [];

  constructor(file: string, show: (entry: RecordedEntry) => void) {
    this.#file = file;
    this.#show = show;
  }

  get isClosed(): boolean {
    return this.#last?.entry["type"] === "session-closed";
  }

  /** Shows what is new. A file that is as large and as old as the last time is not read again. */
  async readOn(read: () => Promise<Read>): Promise<"gone" | "rewritten" | undefined> {
    const there = nodeDisk.stat(this.#file);
    if (!there) return "gone";
    const stamp = `${there.size} ${there.changedAt}`;
    if (stamp === this.#stamp) return undefined;
    const { recorded, problems } = await read();
    if (!this.#goesOn(recorded)) return "rewritten";
    for (const entry of recorded.slice(this.#count)) this.#show(entry);
    this.#count = recorded.length;
    this.#last = recorded.at(-1);
    this.problems = problems;
    this.#stamp = stamp;
    return undefined;
  }

  #goesOn(recorded: readonly RecordedEntry[]): boolean {
    const before = recorded[this.#count - 1];
    return this.#count === 0 || (before?.number === this.#last?.number && before?.at === this.#last?.at);
  }
}
