import type { AppendFile, Disk } from "../../src/journal/disk.ts";

export interface MemoryDisk extends Disk {
  readonly files: Map<string, Buffer>;
  /** Every fdatasync that was begun, by path. */
  readonly syncs: string[];
  /** Files that are open for appending. */
  readonly open: string[];
  /** What the next syncs wait for; each is settled by hand where `holdsSyncs`. */
  readonly held: { settle(error?: Error): void }[];
  holdsSyncs: boolean;
  /** Called before a write: gives how many bytes still fit, then fails. */
  failAppend:
    | ((path: string, bytes: Uint8Array) => { readonly written: number; readonly error: Error } | undefined)
    | undefined;
  failTruncate: Error | undefined;
}

/** A file system of one process's memory, with faults at will. */
export function memoryDisk(): MemoryDisk {
  const files = new Map<string, Buffer>();
  let changes = 0;
  const changed = new Map<string, number>();
  const write = (path: string, bytes: Uint8Array): void => {
    files.set(path, Buffer.from(bytes));
    changed.set(path, (changes += 1));
  };
  const disk: MemoryDisk = {
    files,
    syncs: [],
    open: [],
    held: [],
    holdsSyncs: false,
    failAppend: undefined,
    failTruncate: undefined,
    read: (path) => files.get(path),
    stat: (path) => {
      const file = files.get(path);
      return file && { size: file.length, changedAt: changed.get(path) ?? 0 };
    },
    list: (folder) => {
      const inside = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(inside.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))].sort();
    },
    makeFolder: () => undefined,
    openForAppend: (path) => open(path),
    create(path, text) {
      if (files.has(path)) return false;
      write(path, Buffer.from(text));
      return true;
    },
    replace: write,
    rename(from, to) {
      for (const [path, bytes] of [...files]) {
        if (path !== from && !path.startsWith(`${from}/`)) continue;
        files.delete(path);
        write(to + path.slice(from.length), bytes);
      }
    },
    remove(target) {
      for (const path of [...files.keys()]) if (path === target || path.startsWith(`${target}/`)) files.delete(path);
    },
  };

  function open(path: string): AppendFile {
    if (!files.has(path)) write(path, Buffer.alloc(0));
    disk.open.push(path);
    let size = files.get(path)?.length ?? 0;
    const append = (bytes: Uint8Array): void => {
      const there = files.get(path);
      if (there) write(path, Buffer.concat([there, bytes]));
      size += bytes.length;
    };
    return {
      get size() {
        return size;
      },
      append(bytes) {
        const fault = disk.failAppend?.(path, bytes);
        append(fault ? bytes.subarray(0, fault.written) : bytes);
        if (fault) throw fault.error;
      },
      sync() {
        disk.syncs.push(path);
        if (!disk.holdsSyncs) return Promise.resolve();
        return new Promise((resolve, reject) =>
          disk.held.push({ settle: (error) => (error ? reject(error) : resolve()) }),
        );
      },
      truncate(to) {
        if (disk.failTruncate) throw disk.failTruncate;
        const there = files.get(path);
        if (there) write(path, there.subarray(0, to));
        size = to;
      },
      close: () => void disk.open.splice(disk.open.indexOf(path), 1),
    };
  }
  return disk;
}
