import path from "node:path";
import type { Disk } from "./disk.ts";

/** Removes what a replacement left behind that a crash cut off. Only the folder's owner may call it. */
export function removeStrayFiles(disk: Disk, folder: string): void {
  for (const name of disk.list(folder)) if (STRAY.test(name)) disk.remove(path.join(folder, name));
}

/** The same in a folder that several processes use: what a living process is writing stays. */
export function removeDeadStrayFiles(disk: Disk, folder: string): void {
  for (const name of disk.list(folder)) {
    const [, pid] = STRAY.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) disk.remove(path.join(folder, name));
  }
}

/** The names under which a file is written before it takes its place. */
const STRAY = /^\..+\.(\d+)\.tmp$/;

/** This process replaces within one tick: what it finds is from an earlier one with its number. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
