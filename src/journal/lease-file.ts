import path from "node:path";
import { isRecord } from "../core/json.ts";
import type { Disk } from "./disk.ts";

/** Who has a session, as its lock file says. */
export interface Holder {
  /** Made up by the owner; no secret. */
  readonly owner: string;
  readonly pid: number;
  /** The machine and the process table on it that `pid` belongs to. */
  readonly machine: string;
  readonly fence: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** What the lock files in a session's folder say. `fence` 0: nobody has had it yet. */
export interface LockState {
  readonly fence: number;
  /** Undefined when the last owner gave it back. A file that cannot be read counts from the time of its last change. */
  readonly holder: Holder | undefined;
}

/**
 * A lock is a file of its own for each owner, numbered by its fence: `lock-7`, and `free-7` once it was given back. The highest
 * number counts. So a number is handed out by the one operation that lets exactly one of two win: making a file.
 */
export function lockName(fence: number): string {
  return `lock-${fence}`;
}

export function freeName(fence: number): string {
  return `free-${fence}`;
}

/** Reads whose turn it is. `leaseMs` is how long an unreadable lock counts. */
export function readLockState(
  folder: string,
  { disk, leaseMs }: { readonly disk: Disk; readonly leaseMs: number },
): LockState {
  for (;;) {
    const numbers = numbersIn(disk.list(folder));
    const fence = Math.max(0, ...numbers.lock, ...numbers.free);
    if (fence === 0 || numbers.free.includes(fence)) return { fence, holder: undefined };
    const file = path.join(folder, lockName(fence));
    const bytes = disk.read(file);
    // Given back between the list and the reading: whatever is there now has a name of its own.
    if (bytes !== undefined)
      return { fence, holder: readHolder(bytes, fence) ?? unreadable(file, fence, { disk, leaseMs }) };
  }
}

/** Removes the files of former owners. What cannot be removed harms nobody. */
export function removeFormer(folder: string, fence: number, disk: Disk): void {
  for (const name of disk.list(folder)) {
    const number = numberOf(name);
    if (number === undefined || number >= fence) continue;
    try {
      disk.remove(path.join(folder, name));
    } catch {
      return;
    }
  }
}

function numbersIn(names: readonly string[]): { readonly lock: number[]; readonly free: number[] } {
  const lock: number[] = [];
  const free: number[] = [];
  for (const name of names) {
    const number = numberOf(name);
    if (number !== undefined) (name.startsWith("lock-") ? lock : free).push(number);
  }
  return { lock, free };
}

function numberOf(name: string): number | undefined {
  const digits = /^(?:lock|free)-([1-9]\d{0,14})$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

function readHolder(bytes: Uint8Array, fence: number): Holder | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!isRecord(value)) return undefined;
    const { owner, pid, machine, until } = value;
    if (typeof owner !== "string" || typeof pid !== "number" || typeof machine !== "string") return undefined;
    return typeof until === "number" ? { owner, pid, machine, fence, until } : undefined;
  } catch {
    return undefined;
  }
}

/** Its maker died while it wrote, or it was damaged: it counts as long as a lease that began when it was last changed. */
function unreadable(
  file: string,
  fence: number,
  { disk, leaseMs }: { readonly disk: Disk; readonly leaseMs: number },
): Holder {
  const changedAt = disk.stat(file)?.changedAt ?? 0;
  return { owner: "", pid: 0, machine: "", fence, until: changedAt + leaseMs };
}
