import path from "node:path";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JournalPort, SpillPort } from "../core/dispatch/ports.ts";
import type { Disk } from "./disk.ts";
import { exportSession, type SessionExport } from "./export-session.ts";
import { listSessions } from "./list-sessions.ts";
import { nodeDisk } from "./node-disk.ts";
import { OpenJournals } from "./open-journals.ts";
import { purgeSessions, type Purge, type PurgeOptions } from "./purge-sessions.ts";
import type { Head } from "./read-journal.ts";
import { readSession, type ReadSession } from "./read-session.ts";
import { repairSession, type Repair } from "./repair-session.ts";
import { sessionFolderName } from "./session-folder.ts";
import type { SessionSummary } from "./session-summary.ts";
import { createSpillFolder, SHARED_SPILL_FOLDER, SPILL_FOLDER } from "./spill-folder.ts";
import { verifySession, type Verification } from "./verify-session.ts";

export interface FileStoreOptions {
  /** Holds a folder for each session. Made at the first use. */
  readonly folder: string;
  readonly disk?: Disk;
  readonly clock?: Clock;
  /** Whether this process has the session. Asked before each append and repair. Default: yes. */
  readonly owns?: (sessionId: string) => boolean;
  /** The fence of this process's lease on the session: a count that grows with each owner. Default: 0. */
  readonly fenceOf?: (sessionId: string) => number;
}

/**
 * The records of sessions in a folder. What the disk refuses rejects with `journal-failed`, what a process writes that has
 * lost the session with `journal-fenced`. docs/journal.md describes the files for other programs.
 */
export interface FileStore {
  readonly journal: JournalPort;
  /** Output over the limit that belongs to no session in particular. */
  readonly spill: SpillPort;
  /** Output over the limit of one session. It goes when the session goes. */
  spillOf(sessionId: string): SpillPort;
  /** Waits for the disk and closes the session's files. One that is not open is no error. */
  closeSession(sessionId: string): Promise<void>;
  /** Closes all. */
  close(): Promise<void>;
  /** What was appended, and what is wrong with the file. A session that was never written has no entries. */
  readSession(sessionId: string): Promise<ReadSession>;
  /** Newest first. */
  list(): Promise<readonly SessionSummary[]>;
  /** Checks the audit chain; `expected` is a head that was noted earlier, elsewhere. */
  verify(sessionId: string, options?: { readonly expected?: Head }): Promise<Verification>;
  /** Leaves out what is damaged, keeps the file as it was beside the new one, and says so in its first line. */
  repair(sessionId: string): Promise<Repair>;
  exportSession(sessionId: string): Promise<SessionExport>;
  purge(options: PurgeOptions): Promise<Purge>;
}

/** A store of sessions in a folder. Touches the disk at its first use. */
export function createFileStore({
  folder,
  disk = nodeDisk,
  clock = systemClock,
  owns = () => true,
  fenceOf = () => 0,
}: FileStoreOptions): FileStore {
  const stamp = stampOf(clock);
  const journals = new OpenJournals({ folder, disk, stamp, owns, fenceOf });
  const folderOf = (sessionId: string): string => path.join(folder, sessionFolderName(sessionId));
  return {
    journal: { append: (entry, options) => journals.append(entry, options) },
    spill: createSpillFolder(path.join(folder, SHARED_SPILL_FOLDER), disk),
    spillOf: (sessionId) => createSpillFolder(path.join(folderOf(sessionId), SPILL_FOLDER), disk),
    closeSession: (sessionId) => journals.close(sessionId),
    close: () => journals.closeAll(),
    async readSession(sessionId) {
      journals.writeHeld(sessionId);
      return readSession(folderOf(sessionId), disk);
    },
    list: async () => listSessions(folder, disk).map(({ summary }) => summary),
    verify: async (sessionId, { expected } = {}) => verifySession(folderOf(sessionId), { disk, expected }),
    async repair(sessionId) {
      journals.assertOwned(sessionId);
      // A file that could not be closed well is one to repair.
      await journals.close(sessionId).catch(() => undefined);
      return repairSession(folderOf(sessionId), { disk, sessionId, at: stamp() });
    },
    exportSession: async (sessionId) => exportSession(folderOf(sessionId), { disk, sessionId }),
    purge: async (options) =>
      purgeSessions(options, { folder, disk, now: clock.now(), isOpen: (id) => journals.has(id) }),
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
