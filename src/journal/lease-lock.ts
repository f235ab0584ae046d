import { randomBytes } from "node:crypto";
import { readlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Clock } from "../core/clock.ts";
import { ToolmapError } from "../core/errors.ts";
import type { SessionLockPort } from "../core/session/agent-session.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { freeName, type Holder, lockName, readLockState, removeFormer } from "./lease-file.ts";

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
  /** What tells this machine's process table from every other. */
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
 * Owners of a session have growing numbers, fences. A number is taken by making its lock file, which exactly one of several can
 * do; nobody ever takes a file over. A holder renews its file well before it runs out; one that was paused past that, whatever
 * the file says by then, has to take the next number like everybody else.
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
      if (held.get(sessionId)?.isLost === false) throw openElsewhere(sessionId, undefined, parts);
      const lease = new Lease(sessionId, parts);
      lease.take();
      held.set(sessionId, lease);
      return {
        get fence() {
          return lease.fence;
        },
        lost: lease.lost,
        async release() {
          if (held.get(sessionId) === lease) held.delete(sessionId);
          lease.release();
        },
      };
    },
    stillOwns: (sessionId) => held.get(sessionId)?.stillOwns() ?? false,
    holderOf: (sessionId) => liveHolder(parts.folderOf(sessionId), parts),
  };
}

type LeaseParts = Required<LeaseLockOptions>;

/** Tokens of this process's leases: a lock with our process number and another token is of a process that died before us. */
const ownTokens = new Set<string>();

class Lease {
  readonly #sessionId: string;
  readonly #parts: LeaseParts;
  readonly #folder: string;
  readonly #owner = randomBytes(9).toString("base64url");
  readonly #lost = new AbortController();
  #fence = 0;
  /** Until then nobody takes the session over, as far as its file says. */
  #until = 0;
  #cancelRenewal: () => void = () => undefined;
  #isReleased = false;

  constructor(sessionId: string, parts: LeaseParts) {
    this.#sessionId = sessionId;
    this.#parts = parts;
    this.#folder = parts.folderOf(sessionId);
  }

  get fence(): number {
    return this.#fence;
  }
  get lost(): AbortSignal {
    return this.#lost.signal;
  }
  get isLost(): boolean {
    return this.#lost.signal.aborted;
  }

  /** Takes the next number. Throws `session-open-elsewhere`, and `journal-failed` when the disk does not let it. */
  take(): void {
    try {
      this.#parts.disk.makeFolder(this.#folder);
      while (!this.#tryTake());
    } catch (error) {
      throw journalError(path.join(this.#folder, "lock"), "taken", error);
    }
    ownTokens.add(this.#owner);
    this.#scheduleRenewal();
  }

  stillOwns(): boolean {
    if (this.isLost || this.#isReleased) return false;
    if (this.#parts.clock.now() < this.#until - this.#margin) return true;
    this.#renew();
    return !this.isLost;
  }

  /** Gives it back. Whoever has lost it removes nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#cancelRenewal();
    ownTokens.delete(this.#owner);
    if (this.isLost) return;
    const { disk } = this.#parts;
    try {
      disk.rename(path.join(this.#folder, lockName(this.#fence)), path.join(this.#folder, freeName(this.#fence)));
    } catch {
      // The folder has gone, or cannot be written: the lease runs out, and this process is seen to be gone before that.
    }
  }

  /** The time that is left between the last moment at which we trust the lease and the first at which others do not. */
  get #margin(): number {
    return this.#parts.leaseMs / 10;
  }

  /** One attempt. False when somebody was quicker: then whoever that is decides what the next attempt finds. */
  #tryTake(): boolean {
    const { disk, leaseMs } = this.#parts;
    const state = readLockState(this.#folder, { disk, leaseMs });
    if (state.holder && isLive(state.holder, this.#parts))
      throw openElsewhere(this.#sessionId, state.holder, this.#parts);
    const fence = state.fence + 1;
    const until = this.#parts.clock.now() + leaseMs;
    const file = path.join(this.#folder, lockName(fence));
    if (!disk.create(file, this.#text(until))) return false;
    // Whoever had this number in the meantime gave it back, or was overtaken: then a higher one is there, or that it is free.
    const now = readLockState(this.#folder, { disk, leaseMs });
    if (now.fence !== fence || now.holder?.owner !== this.#owner) {
      disk.remove(file);
      return false;
    }
    this.#fence = fence;
    this.#until = until;
    removeFormer(this.#folder, fence, disk);
    return true;
  }

  #scheduleRenewal(): void {
    this.#cancelRenewal = this.#parts.after(this.#parts.leaseMs / 3, () => {
      if (this.isLost || this.#isReleased) return;
      this.#renew();
      if (!this.isLost) this.#scheduleRenewal();
    });
  }

  /** In time it writes a later end into its file; too late it takes the next number, if nobody has. Else it is lost. */
  #renew(): void {
    try {
      const { clock, disk, leaseMs } = this.#parts;
      const until = clock.now() + leaseMs;
      if (this.#isTrusted) {
        disk.replace(path.join(this.#folder, lockName(this.#fence)), new TextEncoder().encode(this.#text(until)));
        // Only if we were not paused on the way: others may have seen the old end pass.
        if (this.#isTrusted) {
          this.#until = until;
          return;
        }
      }
      if (!this.#takeAgain()) this.#lose();
    } catch {
      // What cannot be renewed holds until it runs out; the next append or renewal tries again.
      if (!this.#isTrusted) this.#lose();
    }
  }

  get #isTrusted(): boolean {
    return this.#parts.clock.now() < this.#until - this.#margin;
  }

  /** Like everybody else; our own file is no obstacle. */
  #takeAgain(): boolean {
    const { disk, leaseMs } = this.#parts;
    const { fence, holder } = readLockState(this.#folder, { disk, leaseMs });
    if (fence !== this.#fence || holder?.owner !== this.#owner) return false;
    const until = this.#parts.clock.now() + leaseMs;
    const next = path.join(this.#folder, lockName(fence + 1));
    if (!disk.create(next, this.#text(until))) return false;
    const now = readLockState(this.#folder, { disk, leaseMs });
    if (now.fence !== fence + 1 || now.holder?.owner !== this.#owner) {
      disk.remove(next);
      return false;
    }
    this.#fence = fence + 1;
    this.#until = until;
    removeFormer(this.#folder, fence + 1, disk);
    return true;
  }

  #lose(): void {
    this.#cancelRenewal();
    ownTokens.delete(this.#owner);
    this.#lost.abort(
      new ToolmapError(
        "journal-fenced",
        `The session "${this.#sessionId}" is another process's: this one stood still for too long.`,
        {
          fix: "Open the session again.",
        },
      ),
    );
  }

  #text(until: number): string {
    const { pid, machine } = this.#parts;
    return JSON.stringify({ v: 1, owner: this.#owner, pid, machine, until });
  }
}

function liveHolder(folder: string, parts: LeaseParts): Holder | undefined {
  const { holder } = readLockState(folder, parts);
  return holder && isLive(holder, parts) ? holder : undefined;
}

/** Its lease has not run out, and its process is not known to be dead. */
function isLive({ until, pid, machine, owner }: Holder, parts: LeaseParts): boolean {
  if (parts.clock.now() >= until) return false;
  if (machine === "" || machine !== parts.machine) return true;
  return pid === parts.pid ? ownTokens.has(owner) : parts.isAlive(pid);
}

function openElsewhere(sessionId: string, holder: Holder | undefined, { pid }: LeaseParts): ToolmapError {
  const who =
    holder === undefined || holder.pid === pid
      ? "this process has it open"
      : `process ${holder.pid} has it, for now until ${new Date(holder.until).toISOString()}`;
  return new ToolmapError("session-open-elsewhere", `The session "${sessionId}" cannot be opened: ${who}.`, {
    fix: "Close it there, or watch it: toolmap sessions show --follow.",
  });
}

function afterUnobtrusively(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user's is there all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Process numbers mean something within one machine, and on Linux within one namespace: containers share a name at times. */
function thisMachine(): string {
  try {
    return `${os.hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return os.hostname();
  }
}
