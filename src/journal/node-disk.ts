import * as fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { AppendFile, Disk } from "./disk.ts";

const fdatasync = promisify(fs.fdatasync);

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** The file system of this machine. */
export const nodeDisk: Disk = {
  read: (file) => whenThere(() => fs.readFileSync(file)),
  stat: (file) =>
    whenThere(() => {
      const { size, mtimeMs } = fs.statSync(file);
      return { size, changedAt: mtimeMs };
    }),
  list: (folder) => (whenThere(() => fs.readdirSync(folder)) ?? []).toSorted(),
  makeFolder(folder) {
    const first = fs.mkdirSync(folder, { recursive: true, mode: OWNER_FOLDER });
    if (first !== undefined) syncFolder(path.dirname(first));
  },
  openForAppend,
  create(file, text) {
    try {
      fs.writeFileSync(file, text, { flag: "wx", mode: OWNER_FILE });
      return true;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  },
  replace,
  rename: (from, to) => fs.renameSync(from, to),
  remove,
};

function openForAppend(file: string): AppendFile {
  const isNew = !fs.existsSync(file);
  const descriptor = fs.openSync(file, "a+", OWNER_FILE);
  if (isNew) syncFolder(path.dirname(file));
  let size = fs.fstatSync(descriptor).size;
  return {
    get size() {
      return size;
    },
    append(bytes) {
      let written = 0;
      while (written < bytes.length) {
        const count = fs.writeSync(descriptor, bytes, written, bytes.length - written);
        written += count;
        size += count;
      }
    },
    sync: () => fdatasync(descriptor),
    truncate(to) {
      fs.ftruncateSync(descriptor, to);
      size = to;
    },
    close: () => fs.closeSync(descriptor),
  };
}

/** Beside the target, with its mode from the start, so that nothing of it is ever readable to more than the old file was. */
function replace(file: string, bytes: Uint8Array): void {
  const mode = whenThere(() => fs.statSync(file).mode & 0o777) ?? OWNER_FILE;
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.tmp`);
  const descriptor = fs.openSync(beside, "w", mode);
  try {
    fs.writeFileSync(descriptor, bytes);
    fs.fsyncSync(descriptor);
  } catch (error) {
    fs.closeSync(descriptor);
    fs.rmSync(beside, { force: true });
    throw error;
  }
  fs.closeSync(descriptor);
  fs.renameSync(beside, file);
  syncFolder(path.dirname(file));
}

/** A file, which is most of them, costs one call. */
function remove(target: string): void {
  try {
    fs.unlinkSync(target);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") fs.rmSync(target, { recursive: true, force: true });
  }
}

/** A name is on the disk once its folder is. Systems that cannot sync a folder keep names without it. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function whenThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
