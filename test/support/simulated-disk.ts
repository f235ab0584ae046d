import type { AppendFile, Disk } from "../../src/journal/disk.ts";

export type DiskOperation =
  | "read"
  | "list"
  | "stat"
  | "makeFolder"
  | "open"
  | "append"
  | "sync"
  | "truncate"
  | "create"
  | "replace"
  | "rename"
  | "remove";

interface SimulatedFile {
  data: Buffer;
  /** Bytes that a loss of power leaves. */
  synced: number;
  changedAt: number;
}

/** What a simulation decides for itself. */
export interface SimulationPorts {
  /** Milliseconds since the epoch. */
  now(): number;
  /** From 0 to 1, 1 excluded: how much of what was not synced is left. */
  random(): number;
}

/** A disk in memory that many processes share, and that keeps after a loss of power what a disk has to keep. */
export interface SimulatedDisk extends Disk {
  readonly files: ReadonlyMap<string, { readonly data: Buffer; readonly synced: number }>;
  /** The same disk as one process sees it: `before` is called ahead of each operation and may throw what the system would say. */
  as(before: (operation: DiskOperation, path: string) => void): Disk;
  /** The power goes: every file loses a random part of what was not synced. */
  losePower(): void;
}

export function simulatedDisk({ now, random }: SimulationPorts): SimulatedDisk {
  const files = new Map<string, SimulatedFile>();
  const asSeenBy = (before: (operation: DiskOperation, path: string) => void): Disk => ({
    read(path) {
      before("read", path);
      const file = files.get(path);
      return file && Buffer.from(file.data);
    },
    stat(path) {
      before("stat", path);
      const file = files.get(path);
      if (file) return { size: file.data.length, changedAt: file.changedAt };
      return isFolder(files, path) ? { size: 0, changedAt: 0 } : undefined;
    },
    list(folder) {
      before("list", folder);
      const inside = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))].sort();
    },
    makeFolder: (folder) => before("makeFolder", folder),
    openForAppend(path) {
      before("open", path);
      const file = files.get(path) ?? { data: Buffer.alloc(0), synced: 0, changedAt: now() };
      files.set(path, file);
      return openFile(file, path, { before, now });
    },
    create(path, text) {
      before("create", path);
      if (files.has(path)) return false;
      files.set(path, durable(Buffer.from(text), now()));
      return true;
    },
    replace(path, bytes) {
      before("replace", path);
      files.set(path, durable(Buffer.from(bytes), now()));
    },
    rename(from, to) {
      before("rename", from);
      const moved = [...files].filter(([path]) => path === from || path.startsWith(`${from}/`));
      if (moved.length === 0) throw Object.assign(new Error(`ENOENT: ${from}`), { code: "ENOENT" });
      for (const [path, file] of moved) {
        files.delete(path);
        files.set(to + path.slice(from.length), file);
      }
    },
    remove(target) {
      before("remove", target);
      for (const path of files.keys()) if (path === target || path.startsWith(`${target}/`)) files.delete(path);
    },
  });
  return {
    ...asSeenBy(() => undefined),
    files,
    as: asSeenBy,
    losePower() {
      for (const file of files.values()) {
        const kept = file.synced + Math.floor((file.data.length - file.synced + 1) * random());
        file.data = Buffer.from(file.data.subarray(0, kept));
        file.synced = kept;
      }
    },
  };
}

function openFile(
  file: SimulatedFile,
  path: string,
  { before, now }: { readonly before: (operation: DiskOperation, path: string) => void; now(): number },
): AppendFile {
  return {
    get size() {
      return file.data.length;
    },
    append(bytes) {
      before("append", path);
      file.data = Buffer.concat([file.data, bytes]);
      file.changedAt = now();
    },
    async sync() {
      before("sync", path);
      const { length } = file.data;
      await Promise.resolve();
      file.synced = Math.max(file.synced, Math.min(length, file.data.length));
    },
    truncate(size) {
      before("truncate", path);
      file.data = Buffer.from(file.data.subarray(0, size));
      file.synced = Math.min(file.synced, size);
    },
    close: () => undefined,
  };
}

function durable(data: Buffer, changedAt: number): SimulatedFile {
  return { data, synced: data.length, changedAt };
}

function isFolder(files: ReadonlyMap<string, unknown>, path: string): boolean {
  for (const each of files.keys()) if (each.startsWith(`${path}/`)) return true;
  return false;
}
