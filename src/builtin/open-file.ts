import { constants, type BigIntStats } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { isOpenedInside } from "./opened-path.ts";
import { cannot, explaining, type Task } from "./tool-failure.ts";
import { resolvePath, type Place, type Workspace } from "./workspace.ts";

/** An open file that is certainly the regular file at `place`. Whoever opened it closes the handle. */
export interface OpenedFile {
  readonly handle: FileHandle;
  readonly place: Place;
  readonly stat: BigIntStats;
}

/** Opens a regular file to read. Throws a ToolFailure for anything else, without waiting for a pipe or touching a device. */
export async function openFile(workspace: Workspace, task: Task): Promise<OpenedFile> {
  return explaining(task, async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const opened = await tryOpen(workspace, task);
      if (opened) return opened;
    }
    throw cannot(task, "it was replaced again and again while it was being opened", "Try once more");
  });
}

/** Another writer may replace the file between look and open; that it happens every time is no accident. */
const ATTEMPTS = 3;

async function tryOpen(workspace: Workspace, task: Task): Promise<OpenedFile | undefined> {
  const place = resolvePath(workspace, task);
  if (!place.exists) throw cannot(task, "it does not exist", "Look for its name with find or ls");
  refuseIrregular(task, await lstat(place.real, { bigint: true }));
  // Without O_NONBLOCK, opening a pipe waits for a writer. Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(place.real, flags);
  try {
    const stat = await handle.stat({ bigint: true });
    refuseIrregular(task, stat);
    if (isOpenedInside(workspace, place.real, handle.fd)) return { handle, place, stat };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/** Throws a ToolFailure that says what stands at the path instead of a regular file. */
export function refuseIrregular(task: Task, stat: BigIntStats): void {
  if (stat.isFile()) return;
  if (stat.isDirectory()) throw cannot(task, "it is a folder", "List it with ls, or name a file in it");
  throw cannot(task, `it is ${kindOf(stat)}, not a regular file`);
}

function kindOf(stat: BigIntStats): string {
  if (stat.isFIFO()) return "a named pipe";
  if (stat.isSocket()) return "a socket";
  if (stat.isSymbolicLink()) return "a symbolic link";
  return "a device";
}
