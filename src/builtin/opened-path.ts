import { fstatSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { isInside, type Workspace } from "./workspace.ts";

/**
 * Whether what was opened at a real path lies inside the root, though a folder above may have been swapped for a link since
 * the path was followed. Linux names what is open, so the answer is certain; elsewhere the path is looked at once more.
 */
export function isOpenedInside(workspace: Workspace, real: string, descriptor: number): boolean {
  const opened = openedPath(descriptor);
  if (opened !== undefined) return isInside(workspace.root, opened, workspace.platform);
  try {
    const [now, then] = [lstatSync(real, { bigint: true }), fstatSync(descriptor, { bigint: true })];
    return realpathSync.native(real) === real && now.dev === then.dev && now.ino === then.ino;
  } catch {
    return false;
  }
}

/** A path to what is open, whatever happens to the names on the way to it; undefined where the system has none. */
export function steadyPath(descriptor: number): string | undefined {
  return openedPath(descriptor) === undefined ? undefined : `/proc/self/fd/${descriptor}`;
}

function openedPath(descriptor: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // Without /proc there is only the second look.
    return undefined;
  }
}
