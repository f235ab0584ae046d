import type { JsonObject } from "../../src/core/json.ts";
import { createFileStore, type FileStoreOptions } from "../../src/journal/file-store.ts";
import { readJournal } from "../../src/journal/read-journal.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { memoryDisk, type MemoryDisk } from "./memory-disk.ts";

export const JOURNAL = "/f/s1/journal.jsonl";

export function note(number: number): JsonObject {
  return { type: "note", session: "s1", number, text: `entry ${number}` };
}

export function storeOn(disk: MemoryDisk, options: Partial<FileStoreOptions> = {}): ReturnType<typeof createFileStore> {
  return createFileStore({ folder: "/f", disk, clock: manualClock(), ...options });
}

/** The lines of a journal of `count` notes. The owner changes after every `term` of them. */
export async function writtenLines(count: number, term = Number.POSITIVE_INFINITY): Promise<Buffer[]> {
  const disk = memoryDisk();
  let fence = 1;
  const store = storeOn(disk, { fenceOf: () => fence });
  for (let number = 1; number <= count; number += 1) {
    await store.journal.append(note(number), { sync: false });
    if (number % term === 0) fence += 1;
  }
  await store.close();
  return linesOf(disk.files.get(JOURNAL) ?? Buffer.alloc(0));
}

/** With their newlines. */
export function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf(10, offset);
    lines.push(bytes.subarray(offset, end === -1 ? bytes.length : end + 1));
    offset = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}

/** The numbers of the notes that a reader gives. */
export function numbersIn(bytes: Uint8Array): unknown[] {
  return readJournal(bytes).lines.map(({ value }) => value["number"]);
}
