import { readdirSync, readFileSync } from "node:fs";

/** The variable that marks everything a command started, even what left its process group. */
export const RUN_MARKER = "TOOLMAP_RUN";

/** All processes that one command started. */
export class ProcessGroup {
  readonly #leader: number;
  readonly #marker: string;

  constructor(leader: number, marker: string) {
    this.#leader = leader;
    this.#marker = marker;
  }

  /** The ids of what still runs; where the system cannot list it, the leader's id stands for its group. */
  members(): readonly number[] {
    if (process.platform === "linux")
      return listProcesses()
        .filter((each) => this.#isMember(each))
        .map(({ pid }) => pid);
    return this.#signalGroup(0) ? [this.#leader] : [];
  }

  /** Whether anything is left in the process group; cheap, and counts a dead process that nobody has waited for. */
  mayBeAlive(): boolean {
    return this.#signalGroup(0);
  }

  /** Asks everything to end. */
  terminate(): void {
    this.#signalGroup("SIGTERM");
  }

  /** Ends everything, what left the group too. */
  kill(): void {
    this.#signalGroup("SIGKILL");
    // A second look: a process may have started another between the list and its end.
    for (let look = 0; look < 2; look += 1) {
      if (process.platform === "linux") for (const pid of this.members()) signal(pid, "SIGKILL");
    }
  }

  #isMember({ pid, group }: ListedProcess): boolean {
    return group === this.#leader || environOf(pid).includes(`${RUN_MARKER}=${this.#marker}\0`);
  }

  #signalGroup(name: NodeJS.Signals | 0): boolean {
    return signal(-this.#leader, name);
  }
}

/** False if there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

interface ListedProcess {
  readonly pid: number;
  readonly group: number;
}

/** The living processes of a Linux system. */
function listProcesses(): readonly ListedProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    // proc(5): "pid (name) state parent group …"; the name may hold blanks and parentheses.
    const stat = readProc(`/proc/${name}/stat`);
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === undefined || state === "" || "ZX".includes(state)
      ? []
      : [{ pid: Number(name), group: Number(group) }];
  });
}

function environOf(pid: number): string {
  return `${readProc(`/proc/${pid}/environ`)}\0`;
}

/** Empty for a process that has ended or belongs to somebody else. */
function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
