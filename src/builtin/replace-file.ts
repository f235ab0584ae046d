import { randomBytes } from "node:crypto";
import { constants, realpathSync, type BigIntStats } from "node:fs";
import { access, lstat, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { refuseIrregular } from "./open-file.ts";
import { cannot, explaining, systemCode, type Task } from "./tool-failure.ts";
import { pathsOf, resolvePath, type Place, type Workspace } from "./workspace.ts";

/** What was written where; `before` is absent if the file is new. */
export interface Replaced {
  readonly place: Place;
  readonly before: BigIntStats | undefined;
}

/** `unchangedSince`: the file as it was when its content was read; anything else there now is refused. */
export interface ReplaceOptions {
  readonly task: Task;
  readonly bytes: Uint8Array;
  readonly unchangedSince?: BigIntStats;
}

/**
 * Writes a whole file, with the folders above it. A reader, and whoever survives a crash, sees all of the old content or all
 * of the new. Keeps mode and owner, follows links inside the root, refuses files marked read-only.
 */
export async function replaceFile(
  workspace: Workspace,
  { task, bytes, unchangedSince }: ReplaceOptions,
): Promise<Replaced> {
  return explaining(task, async () => {
    const place = resolvePath(workspace, task);
    const before = await statTarget(place, task);
    const folder = pathsOf(workspace.platform).dirname(place.real);
    if (!before) await mkdir(folder, { recursive: true });
    refuseMoved(folder, task);
    const temporary = `${folder}${pathsOf(workspace.platform).sep}.toolmap-${randomBytes(8).toString("hex")}.tmp`;
    try {
      await fillTemporary(temporary, bytes, before);
      refuseMoved(folder, task);
      if (unchangedSince) await refuseChanged(place, unchangedSince, task);
      await rename(temporary, place.real);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder);
    return { place, before };
  });
}

async function statTarget(place: Place, task: Task): Promise<BigIntStats | undefined> {
  if (!place.exists) return undefined;
  const stat = await lstat(place.real, { bigint: true });
  refuseIrregular(task, stat);
  // The mode counts even for a user whom the system would let write.
  const isMarked = (stat.mode & 0o222n) === 0n;
  if (isMarked || !(await mayWrite(place.real))) {
    throw cannot(task, "the file is read-only", "Write to another file, or have its mode changed first");
  }
  return stat;
}

async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A folder swapped for a link since its path was followed would take the file outside. */
function refuseMoved(folder: string, task: Task): void {
  if (realpathSync.native(folder) !== folder) throw cannot(task, "a folder above it was replaced meanwhile");
}

/** Never wider than the target: the old mode is set only once the content is there. */
async function fillTemporary(path: string, bytes: Uint8Array, before: BigIntStats | undefined): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(path, flags, 0o600);
  try {
    await handle.writeFile(bytes);
    if (before) await keepOwner(handle, before);
    await handle.chmod(before ? Number(before.mode & 0o7777n) : 0o666 & ~process.umask());
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Only root can give a file away; for anyone else the file becomes theirs, as with every atomic replacement. */
async function keepOwner(handle: FileHandle, before: BigIntStats): Promise<void> {
  const now = await handle.stat({ bigint: true });
  if (now.uid === before.uid && now.gid === before.gid) return;
  try {
    await handle.chown(Number(before.uid), Number(before.gid));
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

async function refuseChanged(place: Place, then: BigIntStats, task: Task): Promise<void> {
  const now = await lstat(place.real, { bigint: true });
  const isSame = now.ino === then.ino && now.size === then.size && now.mtimeNs === then.mtimeNs;
  if (!isSame) throw cannot(task, "the file changed meanwhile", "Read it again and repeat the edit");
}

/** Makes the new name survive a power cut. Some systems cannot sync a folder; the content is on disk anyway. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}
