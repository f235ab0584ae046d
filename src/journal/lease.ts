import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Clock } from "../core/clock.ts";
import { ToolmapError } from "../core/errors.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { freeName, type Holder, isFormer, lockName, type LockState, readLockState } from "./lease-name.ts";

/** What every lease of a lock shares. */
export interface LeaseParts {
  readonly folderOf: (sessionId: string) => string;
  readonly disk: Disk;
  readonly clock: Pick<Clock, "now">;
  readonly leaseMs: number;
  readonly after: Clock["after"];
  readonly isAlive: (pid: number) => boolean;
  readonly machine: string;
  readonly pid: number;
}

/** One ownership of a session, from its taking to its loss or return. */
export class Lease {
  readonly #sessionId: string;
  readonly #parts: LeaseParts;
  readonly #folder: string;
  readonly #owner = freshOwner();
  readonly #lost = new AbortController();
  fence = 0;
  #until = 0;
  #cancelRenewal: () => void = () => undefined;
  #isReleased = false;

  constructor(sessionId: string, parts: LeaseParts) {
    this.#sessionId = sessionId;
    this.#parts = parts;
    this.#folder = parts.folderOf(sessionId);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }
  get isHeld(): boolean {
    return !this.#isReleased && !this.#lost.signal.aborted;
  }
  get holder(): Holder {
    const { pid, machine } = this.#parts;
    return { pid, machine, owner: this.#owner, until: this.#until };
  }

  /** Takes the next number. Throws `session-open-elsewhere`, and `journal-failed` when the disk does not let it. */
  take(): void {
    try {
      for (let attempt = 1; !this.#tryTake(); attempt += 1) {
        if (attempt === MOST_ATTEMPTS) throw new Error(`its lock changed hands ${attempt} times while it was taken`);
      }
    } catch (error) {
      throw journalError(path.join(this.#folder, "lock"), "taken", error);
    }
    liveOwners.add(this.#owner);
    this.#scheduleRenewal();
  }

  stillOwns(): boolean {
    if (!this.isHeld) return false;
    if (this.#parts.clock.now() >= this.#until - this.#margin) this.#renew();
    return this.isHeld;
  }

  /** Gives it back. Whoever has lost it finds nothing to give back. */
  release(): void {
    if (!this.isHeld) return;
    this.#isReleased = true;
    this.#cancelRenewal();
    liveOwners.delete(this.#owner);
    try {
      this.#rename(freeName(this.fence));
    } catch {
      // Overtaken, or the disk is gone: then the lease runs out, and this process is seen to be gone before that.
    }
  }

  /** Time between the last moment at which we trust the lease and the first at which others do not. */
  get #margin(): number {
    return this.#parts.leaseMs / 10;
  }

  /** One attempt. False when somebody was quicker: then whoever that is decides what the next attempt finds. */
  #tryTake(): boolean {
    const { disk } = this.#parts;
    const state = readLockState(disk.list(this.#folder));
    if (state.holder && isLive(state.holder, this.#parts)) {
      throw openElsewhere(this.#sessionId, state.holder, this.#parts);
    }
    if (state.name === undefined) {
      disk.makeFolder(this.#folder);
      disk.create(path.join(this.#folder, freeName(0)), "");
      return false;
    }
    return this.#overtake(state);
  }

  #overtake(state: LockState): boolean {
    const { clock, disk, leaseMs } = this.#parts;
    this.fence = state.fence + 1;
    this.#until = clock.now() + leaseMs;
    const own = this.#name;
    if (!tryRename(disk, { folder: this.#folder, from: state.name ?? "", to: own })) return false;
    // A list that was read while somebody renamed may have missed the one that counts.
    const names = disk.list(this.#folder);
    if (readLockState(names).name !== own) {
      disk.remove(path.join(this.#folder, own));
      return false;
    }
    for (const name of names) if (isFormer(name, this.fence)) disk.remove(path.join(this.#folder, name));
    return true;
  }

  #scheduleRenewal(): void {
    this.#cancelRenewal = this.#parts.after(this.#parts.leaseMs / 3, () => {
      if (this.isHeld) this.#renew();
      if (this.isHeld) this.#scheduleRenewal();
    });
  }

  /** Late or in time: either the name that we gave it is still there, or somebody has overtaken us. */
  #renew(): void {
    const until = this.#parts.clock.now() + this.#parts.leaseMs;
    try {
      this.#rename(lockName(this.fence, { ...this.holder, until }));
      this.#until = until;
    } catch {
      // A disk that refuses is asked again until the lease has run out.
      if (this.#isGone() || this.#parts.clock.now() >= this.#until - this.#margin) this.#lose();
    }
  }

  #isGone(): boolean {
    try {
      return this.#parts.disk.stat(path.join(this.#folder, this.#name)) === undefined;
    } catch {
      return false;
    }
  }

  get #name(): string {
    return lockName(this.fence, this.holder);
  }

  #rename(to: string): void {
    this.#parts.disk.rename(path.join(this.#folder, this.#name), path.join(this.#folder, to));
  }

  #lose(): void {
    this.#cancelRenewal();
    liveOwners.delete(this.#owner);
    const message = `The session "${this.#sessionId}" is lost: another process has taken it over, or its folder is gone.`;
    this.#lost.abort(new ToolmapError("journal-fenced", message, { fix: "Open the session again." }));
  }
}

/** Each is lost to somebody who was quicker; so many in a row are no race but a disk that does not do what it says. */
const MOST_ATTEMPTS = 1000;

/** Leases that are held in this process. A lock with our process number and another owner is of a process that died before us. */
const liveOwners = new Set<string>();

const processToken = randomBytes(6).toString("hex");
let owners = 0;

function freshOwner(): string {
  owners += 1;
  return `${processToken}${owners.toString(36)}`;
}

/** False when the name is gone: somebody was quicker. */
function tryRename(
  disk: Disk,
  { folder, from, to }: { readonly folder: string; readonly from: string; readonly to: string },
): boolean {
  try {
    disk.rename(path.join(folder, from), path.join(folder, to));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

/** Its lease has not run out, and its process is not known to be dead. */
export function isLive({ until, pid, machine, owner }: Holder, parts: LeaseParts): boolean {
  if (parts.clock.now() >= until) return false;
  if (machine !== parts.machine) return true;
  return pid === parts.pid ? liveOwners.has(owner) : parts.isAlive(pid);
}

export function openElsewhere(sessionId: string, { pid, until }: Holder, parts: LeaseParts): ToolmapError {
  const who =
    pid === parts.pid
      ? "this process has it open"
      : `process ${pid} has it open, for now until ${new Date(until).toISOString()}`;
  return new ToolmapError("session-open-elsewhere", `The session "${sessionId}" cannot be opened: ${who}.`, {
    fix: "Close it there, or watch it: toolmap sessions show --follow.",
  });
}
