/** Who has a session. */
export interface Holder {
  /** Made up by the owner; no secret. */
  readonly owner: string;
  readonly pid: number;
  /** What tells the machine, and the process table on it that `pid` belongs to, from every other. */
  readonly machine: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Whose turn it is: the name of the one lock file that counts, and what it says. Fence 0: nobody has had the session yet. */
export interface LockState {
  readonly name: string | undefined;
  readonly fence: number;
  /** Undefined when the last owner gave it back. */
  readonly holder: Holder | undefined;
}

const NOBODY_YET: LockState = Object.freeze({ name: undefined, fence: 0, holder: undefined });

/** The highest number counts, whatever stands beside it. */
export function readLockState(names: readonly string[]): LockState {
  let state = NOBODY_YET;
  for (const name of names) {
    if (!name.startsWith("lock-") && !name.startsWith("free-")) continue;
    const read = readName(name);
    if (read && (read.fence > state.fence || state.name === undefined)) state = read;
  }
  return state;
}

export function lockName(fence: number, { until, pid, machine, owner }: Holder): string {
  return `lock-${fence}-${until}-${pid}-${machine}-${owner}`;
}

export function freeName(fence: number): string {
  return `free-${fence}`;
}

/** What stands beside the one that counts: somebody's who was overtaken, or who began at the same time. */
export function isFormer(name: string, fence: number): boolean {
  const read = readName(name);
  return read !== undefined && read.fence < fence;
}

function readName(name: string): LockState | undefined {
  const free = /^free-(\d{1,15})$/.exec(name);
  if (free) return { name, fence: Number(free[1]), holder: undefined };
  const [, fence = "", until, pid, machine = "", owner = ""] =
    /^lock-(\d{1,15})-(\d{1,16})-(\d{1,10})-([0-9a-f]+)-([0-9a-z]+)$/.exec(name) ?? [];
  if (fence === "") return undefined;
  return { name, fence: Number(fence), holder: { until: Number(until), pid: Number(pid), machine, owner } };
}
