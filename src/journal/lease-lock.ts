import type { Clock } from "../core/clock.ts";
import type { SessionLockPort } from "../core/session/agent-session.ts";
import type { Disk } from "./disk.ts";
import { isLive, Lease, openElsewhere, type LeaseParts } from "./lease.ts";
import { type Holder, readLockState } from "./lease-name.ts";
import { isProcessAlive, thisMachine } from "./this-process.ts";

export interface LeaseLockOptions {
  readonly folderOf: (sessionId: string) => string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, "now">;
  /** @default 10 seconds */
  readonly leaseMs?: number;
  /** Runs a renewal later. Default: a timer that keeps no process alive. */
  readonly after?: Clock["after"];
  /** Whether a process of this machine runs. */
  readonly isAlive?: (pid: number) => boolean;
  /** What tells this machine's process table from every other: hex digits. */
  readonly machine?: string;
  readonly pid?: number;
}

/** Ownership of sessions across processes, held by lease. */
export interface LeaseLock extends SessionLockPort {
  /** Whether this process has the session now. No input or output while the lease is fresh; a lost one aborts `lost`. */
  stillOwns(sessionId: string): boolean;
  /** Who has the session now, in this process or another. */
  holderOf(sessionId: string): Holder | undefined;
}

/**
 * A session's folder has one lock file, and its name says everything: the fence, a number that grows with each owner, and whose it
 * is until when. Taking, renewing and giving back are each one rename of the very name that was read, which exactly one of
 * several can do; whoever was overtaken finds its name gone.
 */
export function leaseLock(options: LeaseLockOptions): LeaseLock {
  const held = new Map<string, Lease>();
  const parts: LeaseParts = {
    leaseMs: 10_000,
    after: afterUnobtrusively,
    isAlive: isProcessAlive,
    machine: thisMachine(),
    pid: process.pid,
    ...options,
  };
  return {
    async open(sessionId) {
      const before = held.get(sessionId);
      if (before?.isHeld === true) throw openElsewhere(sessionId, before.holder, parts);
      const lease = new Lease(sessionId, parts);
      lease.take();
      held.set(sessionId, lease);
      return {
        fence: lease.fence,
        lost: lease.lost,
        async release() {
          if (held.get(sessionId) === lease) held.delete(sessionId);
          lease.release();
        },
      };
    },
    stillOwns: (sessionId) => held.get(sessionId)?.stillOwns() ?? false,
    holderOf(sessionId) {
      const { holder } = readLockState(parts.disk.list(parts.folderOf(sessionId)));
      return holder && isLive(holder, parts) ? holder : undefined;
    },
  };
}

function afterUnobtrusively(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
