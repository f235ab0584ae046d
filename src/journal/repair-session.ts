import path from "node:path";
import { ToolmapError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { lineHash, lineText, NO_LINE, type JournalLine } from "./journal-line.ts";
import { JOURNAL_NAME, readWhole } from "./open-journal.ts";
import type { Problem, ProblemKind } from "./problem.ts";
import { readJournal } from "./read-journal.ts";

export interface Repair {
  /** False when nothing was wrong: nothing was written then. */
  readonly isRepaired: boolean;
  /** Entries that stand. */
  readonly kept: number;
  /** What was left out, or could not be explained. */
  readonly problems: readonly Problem[];
  /** The path of the copy of the file as it was. */
  readonly original?: string;
}

export interface RepairOptions {
  readonly disk: Disk;
  readonly sessionId: string;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Writes the undamaged lines of a session's record to a new file with a new chain. Its first line, of the type `repaired`,
 * names the copy that the old file was kept as, its hash and what was left out. The caller owns the session.
 */
export function repairSession(folder: string, options: RepairOptions): Repair {
  const file = path.join(folder, JOURNAL_NAME);
  try {
    const bytes = readWhole(options.disk, file);
    const { lines, problems } = readJournal(bytes);
    if (!problems.some(({ kind }) => REPAIRABLE.has(kind))) return { isRepaired: false, kept: lines.length, problems };
    if (problems.some(({ kind }) => kind === "newer-version")) throw hasNewerLines(file);
    const original = freeName(folder, options);
    options.disk.replace(path.join(folder, original), bytes);
    options.disk.replace(file, relinked([firstLine(original, { bytes, lines, problems, options }), ...lines]));
    return { isRepaired: true, kept: lines.length, problems, original: path.join(folder, original) };
  } catch (error) {
    throw journalError(file, "repaired", error);
  }
}

const REPAIRABLE: ReadonlySet<ProblemKind> = new Set(["damaged-line", "chain-broken", "torn-tail"]);

type LinkableLine = Pick<JournalLine, "at" | "fence" | "value">;

function firstLine(
  original: string,
  of: {
    readonly bytes: Uint8Array;
    readonly lines: readonly JournalLine[];
    readonly problems: readonly Problem[];
    readonly options: RepairOptions;
  },
): LinkableLine {
  const { sessionId, at } = of.options;
  const lost = of.problems.map(({ kind, line, offset, bytes }) => ({ kind, line, offset, bytes }));
  const value = { type: "repaired", session: sessionId, original, hash: lineHash(of.bytes), lost };
  return { at, fence: of.lines[0]?.fence ?? 0, value };
}

/** Numbers and hashes are new; times, fences and entries stay. */
function relinked(lines: readonly LinkableLine[]): Uint8Array {
  let previous = NO_LINE;
  const parts = lines.map(({ at, fence, value }, index) => {
    const text = lineText(
      { number: index + 1, fence, at: JSON.stringify(at).slice(1, -1), previous },
      entryText(value),
    );
    previous = lineHash(Buffer.from(text));
    return `${text}\n`;
  });
  return Buffer.from(parts.join(""));
}

/** As it stands in the file, with its references. */
function entryText(value: JsonObject): string {
  const { v: _v, n: _n, fence: _fence, at: _at, prev: _prev, ...entry } = value;
  return JSON.stringify(entry);
}

function freeName(folder: string, { disk, at }: RepairOptions): string {
  const taken = new Set(disk.list(folder));
  const name = `${JOURNAL_NAME}.damaged-${at.replaceAll(":", "-")}`;
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

function hasNewerLines(file: string): ToolmapError {
  return new ToolmapError(
    "journal-failed",
    `"${file}" was not repaired: it holds lines of a newer version of toolmap.`,
    {
      fix: "Repair it with that version. Reading it works as before.",
    },
  );
}
