import path from "node:path";
import { ToolmapError } from "../core/errors.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { listSessions } from "./list-sessions.ts";
import type { IndexRow } from "./index-file.ts";
import { SHARED_SPILL_FOLDER } from "./spill-folder.ts";

/** Which sessions go: those for which every given condition speaks. At least one is given. */
export interface PurgeOptions {
  /** Those whose last line is older than this. So is spilled output that belongs to no session. */
  readonly olderThanMs?: number;
  readonly ids?: readonly string[];
  /** All but the newest so many. */
  readonly keep?: number;
  /** Whether some process has the session open. Such a session stays. */
  readonly isLocked: (sessionId: string) => boolean | Promise<boolean>;
}

export interface Purge {
  readonly removed: readonly { readonly id: string; readonly bytes: number }[];
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/** Removes whole sessions: record, long texts, spilled output, lock. What is chosen and stays is reported with the reason. */
export async function purgeSessions(
  { olderThanMs, ids, keep, isLocked }: PurgeOptions,
  at: { readonly folder: string; readonly disk: Disk; readonly now: number; readonly isOpen: (id: string) => boolean },
): Promise<Purge> {
  if (olderThanMs === undefined && ids === undefined && keep === undefined) throw nothingChosen();
  const rows = listSessions(at.folder, at.disk);
  removeHalfRemoved(at.folder, at.disk);
  const chosen = rows
    .slice(keep ?? 0)
    .filter(({ summary }) => ids?.includes(summary.id) ?? true)
    .filter(({ summary }) => olderThanMs === undefined || at.now - Date.parse(summary.changedAt) > olderThanMs);
  const left = unchosen(ids ?? [], { rows, chosen });
  const removed: { id: string; bytes: number }[] = [];
  for (const row of chosen) {
    const { id, bytes } = row.summary;
    const why = at.isOpen(id) ? "It is open in this process." : await removeUnlocked(row, { ...at, isLocked });
    if (why === undefined) removed.push({ id, bytes });
    else left.push({ id, why });
  }
  if (olderThanMs !== undefined) removeOldSpills(at, at.now - olderThanMs);
  if (removed.length > 0) listSessions(at.folder, at.disk);
  return { removed, left };
}

/** Why a session that was named is not even looked at. */
function unchosen(
  ids: readonly string[],
  { rows, chosen }: { readonly rows: readonly IndexRow[]; readonly chosen: readonly IndexRow[] },
): { id: string; why: string }[] {
  const known = new Set(rows.map(({ summary }) => summary.id));
  const going = new Set(chosen.map(({ summary }) => summary.id));
  return ids
    .filter((id) => !going.has(id))
    .map((id) => ({ id, why: known.has(id) ? "It is too new to go." : "There is no such session." }));
}

/** Undefined when it is gone, else why it is not. */
async function removeUnlocked(
  { folder: name, summary }: IndexRow,
  { folder, disk, isLocked, isOpen }: PurgePlace & Pick<PurgeOptions, "isLocked">,
): Promise<string | undefined> {
  const { id } = summary;
  try {
    if (await isLocked(id)) return "It is open in another process.";
    if (isOpen(id)) return "It is open in this process.";
    // At once for every reader; what a crash leaves of it is removed the next time.
    const aside = path.join(folder, `${REMOVING}${name}`);
    disk.rename(path.join(folder, name), aside);
    disk.remove(aside);
    return undefined;
  } catch (error) {
    return journalError(path.join(folder, name), "removed", error).message;
  }
}

interface PurgePlace {
  readonly folder: string;
  readonly disk: Disk;
  readonly isOpen: (id: string) => boolean;
}

const REMOVING = ".removing-";

function removeHalfRemoved(folder: string, disk: Disk): void {
  for (const name of disk.list(folder)) if (name.startsWith(REMOVING)) disk.remove(path.join(folder, name));
}

function removeOldSpills({ folder, disk }: PurgePlace, before: number): void {
  const spills = path.join(folder, SHARED_SPILL_FOLDER);
  for (const name of disk.list(spills)) {
    const file = path.join(spills, name);
    if ((disk.stat(file)?.changedAt ?? before) < before) disk.remove(file);
  }
}

function nothingChosen(): ToolmapError {
  return new ToolmapError("bad-option", "No session was removed: purge() was not told which.", {
    fix: "Give olderThanMs, ids or keep.",
  });
}
