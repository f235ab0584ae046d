import path from "node:path";
import type { JsonObject } from "../core/json.ts";
import { BlobFolder } from "./blob-folder.ts";
import type { Disk } from "./disk.ts";
import { readEntry } from "./entry-text.ts";
import { journalError } from "./journal-error.ts";
import type { JournalLine } from "./journal-line.ts";
import { BLOB_FOLDER, JOURNAL_NAME, readWhole } from "./open-journal.ts";
import type { Problem } from "./problem.ts";
import { readJournal, type Head } from "./read-journal.ts";

/** An entry and what its line says about it. */
export interface RecordedEntry {
  /** Place in the chain, from 1. */
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  readonly fence: number;
  readonly entry: JsonObject;
}

export interface ReadSession {
  /** As they were appended, in order. */
  readonly entries: readonly JsonObject[];
  /** The same entries with number, time and fence. */
  readonly recorded: readonly RecordedEntry[];
  readonly problems: readonly Problem[];
  readonly head: Head;
}

/** Reads the record in a session's folder. No record reads as an empty one. Throws `journal-failed` when the disk does. */
export function readSession(folder: string, disk: Disk): ReadSession {
  const file = path.join(folder, JOURNAL_NAME);
  try {
    const { lines, problems, head } = readJournal(readWhole(disk, file));
    const blobs = new BlobFolder(path.join(folder, BLOB_FOLDER), { disk });
    const found = [...problems];
    const recorded = lines.map((line) => ({
      number: line.number,
      at: line.at,
      fence: line.fence,
      entry: entryOf(line, blobs, found),
    }));
    return { entries: recorded.map(({ entry }) => entry), recorded, problems: found, head };
  } catch (error) {
    throw journalError(file, "read", error);
  }
}

/** The entry of a line with its long texts; in place of one that is lost stands a text that says so. */
export function entryOf(line: JournalLine, blobs: BlobFolder, problems: Problem[]): JsonObject {
  if (!line.isMarked) return readEntry(line.value, undefined);
  return readEntry(line.value, (reference) => {
    const text = blobs.load(reference["$blob"]);
    if (text !== undefined) return text;
    const { line: number, offset, bytes } = line;
    const lost = `The text ${JSON.stringify(reference["$blob"])} (${JSON.stringify(reference["bytes"])} bytes)`;
    const message = `${lost} that line ${number} names is not there, or is not what was written.`;
    problems.push({ kind: "missing-blob", line: number, offset, bytes, message });
    return `(${lost} is lost.)`;
  });
}
