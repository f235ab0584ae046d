import path from "node:path";
import { systemClock, type Clock } from "../core/clock.ts";
import type { JournalPort, SpillPort } from "../core/dispatch/ports.ts";
import type { SessionLockPort } from "../core/session/agent-session.ts";
import type { Disk } from "./disk.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import { leaseLock, type LeaseLockOptions } from "./lease-lock.ts";
import type { Holder } from "./lease-name.ts";
import { nodeDisk } from "./node-disk.ts";
import type { ProblemKind } from "./problem.ts";
import { sessionFolderName } from "./session-folder.ts";

export interface SessionStoreOptions {
  /** Holds a folder for each session. Made at the first use, for its owner alone. */
  readonly folder: string;
  readonly disk?: Disk;
  readonly clock?: Clock;
  /** After how long the session of a process that stands still may be taken over, in milliseconds. @default 10 seconds */
  readonly leaseMs?: number;
}

/** Sessions on disk: what createAgentSession takes as `ports`, and what is done with records. */
export interface SessionStore extends Omit<FileStore, "journal" | "spill" | "closeSession"> {
  /** The process that has a session open, this one or another. */
  holderOf(sessionId: string): Holder | undefined;
  /** One object for any number of sessions of this process. Their lock is taken when they open, and given back when they close. */
  readonly ports: { readonly journal: JournalPort; readonly lock: SessionLockPort; readonly spill: SpillPort };
}

/**
 * Creates a store of sessions in a folder. The record of a session is written by the process that has its lock; a holder
 * that stood still past its lease finds its late write refused (`journal-fenced`).
 */
export function createSessionStore(options: SessionStoreOptions): SessionStore {
  return assembleStore(options, {});
}

/** `process`: what a simulation of several processes in one tells the lock. */
export function assembleStore(
  { folder, disk = nodeDisk, clock = systemClock, leaseMs }: SessionStoreOptions,
  process: Pick<LeaseLockOptions, "after" | "isAlive" | "pid">,
): SessionStore {
  const fences = new Map<string, number>();
  const lock = leaseLock({
    folderOf: (sessionId) => path.join(folder, sessionFolderName(sessionId)),
    disk,
    clock,
    ...(leaseMs === undefined ? {} : { leaseMs }),
    ...process,
  });
  const store = createFileStore({
    folder,
    disk,
    clock,
    owns: (sessionId) => lock.stillOwns(sessionId),
    fenceOf: (sessionId) => fences.get(sessionId) ?? 0,
  });
  return {
    ...store,
    holderOf: (sessionId) => lock.holderOf(sessionId),
    purge: async (options) =>
      store.purge({
        ...options,
        isLocked: (sessionId) => lock.holderOf(sessionId) !== undefined || options.isLocked?.(sessionId),
      }),
    ports: {
      spill: store.spill,
      journal: {
        append: (entry, options) => store.journal.append(entry, options),
        async read(sessionId) {
          const { entries, problems } = await store.readSession(sessionId);
          // Whoever reads entries alone has to know that some are missing.
          const hasGaps = problems.some(({ kind }) => GAPS.has(kind));
          return hasGaps ? [...entries, { type: "record-damaged", session: sessionId }] : entries;
        },
      },
      lock: {
        async open(sessionId) {
          const lease = await lock.open(sessionId);
          fences.set(sessionId, lease.fence);
          return {
            fence: lease.fence,
            lost: lease.lost,
            async release() {
              try {
                // Closed before the lock goes: the next owner finds nothing half written.
                await store.closeSession(sessionId);
              } finally {
                fences.delete(sessionId);
                await lease.release();
              }
            },
          };
        },
      },
    },
  };
}

/** Problems that leave something out. A torn tail was never confirmed; what a former owner wrote late does not count. */
const GAPS: ReadonlySet<ProblemKind> = new Set(["damaged-line", "chain-broken", "newer-version", "missing-blob"]);
