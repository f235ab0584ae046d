import path from "node:path";
import { ToolmapError } from "../core/errors.ts";
import type { AppendFile, Disk } from "./disk.ts";
import { readJournal, type Head, type ReadJournal } from "./read-journal.ts";
import { removeStrayFiles } from "./stray-files.ts";

/** A journal that is ready for its next line. */
export interface OpenedJournal {
  readonly path: string;
  readonly file: AppendFile;
  readonly head: Head;
  readonly fence: number;
}

/** The name of a session's record in its folder. */
export const JOURNAL_NAME = "journal.jsonl";

/** The folder of its long texts, beside it. */
export const BLOB_FOLDER = "blobs";

/**
 * Opens the journal of a session in its folder; makes both where they are missing. A torn tail is copied to
 * `damaged-<n>.txt` beside it and cut off. Throws `journal-fenced` when a later owner has written, and what the disk throws.
 */
export function openJournal(
  folder: string,
  { disk, sessionId, fence }: { readonly disk: Disk; readonly sessionId: string; readonly fence: number },
): OpenedJournal {
  disk.makeFolder(folder);
  removeStrayFiles(disk, folder);
  const file = path.join(folder, JOURNAL_NAME);
  const bytes = readWhole(disk, file);
  const journal = readJournal(bytes);
  assertOurs(journal, { file, sessionId, fence });
  if (journal.end < bytes.length) disk.replace(nextDamagedFile(disk, folder), bytes.subarray(journal.end));
  const opened = disk.openForAppend(file);
  if (journal.end < bytes.length) cutOff(opened, journal.end);
  return { path: file, file: opened, head: journal.head, fence };
}

/** What has no size is not read: a device may have no end. */
export function readWhole(disk: Disk, file: string): Uint8Array {
  return ((disk.stat(file)?.size ?? 0) > 0 && disk.read(file)) || new Uint8Array();
}

function cutOff(file: AppendFile, size: number): void {
  try {
    file.truncate(size);
  } catch (error) {
    file.close();
    throw error;
  }
}

function assertOurs(
  journal: ReadJournal,
  { file, sessionId, fence }: { readonly file: string; readonly sessionId: string; readonly fence: number },
): void {
  if (journal.fence > fence) {
    throw new ToolmapError(
      "journal-fenced",
      `Nothing can be appended to "${file}": it holds lines of a later owner (fence ${journal.fence}, this one has ${fence}).`,
      { fix: "Open the session again; it goes on from what the later owner wrote." },
    );
  }
  const owner = journal.lines[0]?.value["session"];
  if (owner === undefined || owner === sessionId) return;
  throw new ToolmapError("journal-failed", `"${file}" holds the record of another session, ${JSON.stringify(owner)}.`, {
    fix: "Move the folder away; the session then starts a new record.",
  });
}

function nextDamagedFile(disk: Disk, folder: string): string {
  const numbers = disk.list(folder).map((name) => Number(/^damaged-(\d{1,9})\.txt$/.exec(name)?.[1] ?? 0));
  return path.join(folder, `damaged-${Math.max(0, ...numbers) + 1}.txt`);
}
