import path from "node:path";
import { BlobFolder } from "./blob-folder.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { BLOB_FOLDER, JOURNAL_NAME, readWhole } from "./open-journal.ts";
import { INDEX_NAME, readIndex, writeIndex, type IndexRow } from "./index-file.ts";
import { sessionFolderName } from "./session-folder.ts";
import { summariseSession } from "./session-summary.ts";
import { removeDeadStrayFiles } from "./stray-files.ts";

/**
 * The sessions in a folder, newest first. A journal that is as large and as old as the index says is not read again; the
 * index is written anew when it was missing, damaged or stale, and is never trusted over a journal.
 */
export function listSessions(folder: string, disk: Disk): readonly IndexRow[] {
  try {
    removeDeadStrayFiles(disk, folder);
    const index = readIndex(disk.read(path.join(folder, INDEX_NAME)));
    const names = disk.list(folder).filter((name) => !name.startsWith(".") && name !== INDEX_NAME);
    const rows = names.flatMap((name) => rowOrFallback(folder, { name, disk, cached: index.get(name) }) ?? []);
    const readable = rows.filter(({ size }) => size !== UNREADABLE);
    const isFresh = readable.length === index.size && readable.every((row) => index.get(row.folder) === row);
    if (!isFresh) writeIndex(folder, { rows: readable, disk });
    return rows.toSorted(newestFirst);
  } catch (error) {
    throw journalError(folder, "listed", error);
  }
}

/** One record that cannot be read hides no other. It is not put into the index: its reason may go away. */
function rowOrFallback(
  folder: string,
  session: { readonly name: string; readonly disk: Disk; readonly cached: IndexRow | undefined },
): IndexRow | undefined {
  try {
    return rowOf(folder, session);
  } catch {
    return unreadableRow(session.name);
  }
}

const UNREADABLE = -1;

function unreadableRow(name: string): IndexRow {
  const at = new Date(0).toISOString();
  return {
    folder: name,
    size: UNREADABLE,
    time: 0,
    summary: { id: name, openedAt: at, changedAt: at, lines: 0, bytes: 0, title: "", state: "damaged", problems: 1 },
  };
}

function rowOf(
  folder: string,
  { name, disk, cached }: { readonly name: string; readonly disk: Disk; readonly cached: IndexRow | undefined },
): IndexRow | undefined {
  const file = path.join(folder, name, JOURNAL_NAME);
  const there = statOf(disk, file);
  if (there === undefined || there.size === 0) return undefined;
  if (cached?.size === there.size && cached.time === there.changedAt) return cached;
  const blobs = new BlobFolder(path.join(folder, name, BLOB_FOLDER), { disk });
  const fallback = { id: name, at: new Date(there.changedAt).toISOString() };
  const summary = summariseSession(readWhole(disk, file), { blobs, fallback });
  // A copy of another session's folder is none: nothing that asks by id would find it.
  if (summary.state !== "damaged" && sessionFolderName(summary.id) !== name) return undefined;
  return { folder: name, size: there.size, time: there.changedAt, summary };
}

/** A file where a session's folder would be is no session. */
function statOf(disk: Disk, file: string): ReturnType<Disk["stat"]> {
  try {
    return disk.stat(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  }
}

function newestFirst(left: IndexRow, right: IndexRow): number {
  if (left.summary.changedAt !== right.summary.changedAt) {
    return left.summary.changedAt < right.summary.changedAt ? 1 : -1;
  }
  return left.folder < right.folder ? -1 : 1;
}
