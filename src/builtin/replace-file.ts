import { randomBytes } from "node:crypto";
import { constants, type BigIntStats } from "node:fs";
import { access, lstat, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { refuseIrregular } from "./open-file.ts";
import { openFolder, type OpenedFolder } from "./open-folder.ts";
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
export async function replaceFile(workspace: Workspace, options: ReplaceOptions): Promise<Replaced> {
  const { task } = options;
  return explaining(task, async () => {
    const place = resolvePath(workspace, task);
    const paths = pathsOf(workspace.platform);
    const folder = await createFolder(workspace, paths.dirname(place.real));
    if (!folder) throw moved(task);
    try {
      return { place, before: await replaceIn(folder, paths.basename(place.real), options) };
    } finally {
      await folder.close();
    }
  });
}

/** Opens a folder below the root; creates it, and those above it, one by one, each inside the one before. */
async function createFolder(workspace: Workspace, real: string): Promise<OpenedFolder | undefined> {
  try {
    return await openFolder(workspace, real);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || real === workspace.root) throw error;
  }
  const paths = pathsOf(workspace.platform);
  const parent = await createFolder(workspace, paths.dirname(real));
  if (!parent) return undefined;
  try {
    await mkdir(parent.at(paths.basename(real)));
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  } finally {
    await parent.close();
  }
  return openFolder(workspace, real);
}

async function replaceIn(
  folder: OpenedFolder,
  name: string,
  { task, bytes, unchangedSince }: ReplaceOptions,
): Promise<BigIntStats | undefined> {
  const target = folder.at(name);
  const before = await statTarget(target, task);
  const temporary = folder.at(`.toolmap-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await fillTemporary(temporary, bytes, before);
    if (unchangedSince) await refuseChanged(target, unchangedSince, task);
    if (!folder.isSteady()) throw moved(task);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await folder.sync();
  return before;
}

function moved(task: Task): Error {
  return cannot(task, "a folder above it was replaced meanwhile", "Try once more");
}

/** What stands at the target now, if it may be replaced; undefined if nothing does. */
async function statTarget(target: string, task: Task): Promise<BigIntStats | undefined> {
  const stat = await statIfThere(target);
  if (!stat) return undefined;
  refuseIrregular(task, stat);
  // The mode counts even for a user whom the system would let write.
  const isMarked = (stat.mode & 0o222n) === 0n;
  if (isMarked || !(await mayWrite(target))) {
    throw cannot(task, "the file is read-only", "Write to another file, or have its mode changed first");
  }
  return stat;
}

async function statIfThere(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
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

async function refuseChanged(target: string, then: BigIntStats, task: Task): Promise<void> {
  const now = await statIfThere(target);
  const isSame = now?.ino === then.ino && now.size === then.size && now.mtimeNs === then.mtimeNs;
  if (!isSame) throw cannot(task, "the file changed meanwhile", "Read it again and repeat the edit");
}
