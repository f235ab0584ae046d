import path from "node:path";
import type { Disk } from "./disk.ts";

/** Removes what a replacement left behind that was cut off by a crash. Only the folder's owner may call it. */
export function removeStrayFiles(disk: Disk, folder: string): void {
  for (const name of disk.list(folder)) if (isStray(name)) disk.remove(path.join(folder, name));
}

/** The names under which a file is written before it takes its place. */
export function isStray(name: string): boolean {
  return /^\..+\.tmp$/.test(name);
}
