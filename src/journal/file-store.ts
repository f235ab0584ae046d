import path from "node:path";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JournalPort } from "../core/dispatch/ports.ts";
import type { Disk } from "./disk.ts";
import { nodeDisk } from "./node-disk.ts";
import { OpenJournals } from "./open-journals.ts";
import { readSession, type ReadSession } from "./read-session.ts";
import { sessionFolderName } from "./session-folder.ts";

export interface FileStoreOptions {
  /** Holds a folder for each session. Made at the first append. */
  readonly folder: string;
  readonly disk?: Disk;
  readonly clock?: Clock;
  /** Asked before each append. Default: yes. */
  readonly owns?: (sessionId: string) => boolean;
  /** The fence of this process's lease on a session. Default: 0. */
  readonly fenceOf?: (sessionId: string) => number;
}

/** The records of sessions on disk. Throws and rejects with `journal-failed` and `journal-fenced`. */
export interface FileStore {
  readonly journal: JournalPort;
  /** Waits for the disk and closes the session's files. One that is not open is no error. */
  closeSession(sessionId: string): Promise<void>;
  /** Closes all. */
  close(): Promise<void>;
  /** What was appended, and what is wrong with the file. An unknown session has no entries. */
  readSession(sessionId: string): Promise<ReadSession>;
}

/** A store of sessions in a folder. Touches the disk at its first use. */
export function createFileStore({
  folder,
  disk = nodeDisk,
  clock = systemClock,
  owns = () => true,
  fenceOf = () => 0,
}: FileStoreOptions): FileStore {
  const journals = new OpenJournals({ folder, disk, stamp: stampOf(clock), owns, fenceOf });
  const folderOf = (sessionId: string): string => path.join(folder, sessionFolderName(sessionId));
  return {
    journal: { append: (entry, options) => journals.append(entry, options) },
    closeSession: (sessionId) => journals.close(sessionId),
    close: () => journals.closeAll(),
    readSession: async (sessionId) => readSession(folderOf(sessionId), disk),
  };
}

/** Many entries share a millisecond: its text is made once. */
function stampOf(clock: Clock): () => string {
  let last: number | undefined;
  let text = "";
  return () => {
    const now = clock.now();
    if (now !== last) {
      text = new Date(now).toISOString();
      last = now;
    }
    return text;
  };
}
