import path from "node:path";
import { BlobFolder } from "./blob-folder.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { BLOB_FOLDER, JOURNAL_NAME, readWhole } from "./open-journal.ts";
import type { Problem, ProblemKind } from "./problem.ts";
import { readJournal, type Head, type ReadJournal } from "./read-journal.ts";
import { entryOf } from "./read-session.ts";

export interface Verification {
  /** Whether the chain is whole, and every long text is what was written. */
  readonly isIntact: boolean;
  readonly lines: number;
  /** The end of the chain. Kept elsewhere and passed as `expected` later, it shows what the chain alone cannot: a change of its end. */
  readonly head: Head;
  readonly problems: readonly Problem[];
}

/**
 * Checks the audit chain of a session's record. A line is vouched for by the line after it, the last one by nobody:
 * `expected`, a head that was noted before, vouches for all lines up to it.
 */
export function verifySession(
  folder: string,
  { disk, expected }: { readonly disk: Disk; readonly expected: Head | undefined },
): Verification {
  const file = path.join(folder, JOURNAL_NAME);
  try {
    const journal = readJournal(readWhole(disk, file));
    const problems = [...journal.problems];
    const blobs = new BlobFolder(path.join(folder, BLOB_FOLDER), { disk });
    for (const line of journal.lines) entryOf(line, blobs, problems);
    if (expected && !holds(journal, expected)) problems.push(otherHead(journal, expected));
    const isIntact = problems.every(({ kind }) => HARMLESS.has(kind));
    return { isIntact, lines: journal.lines.length, head: journal.head, problems };
  } catch (error) {
    throw journalError(file, "read", error);
  }
}

const HARMLESS: ReadonlySet<ProblemKind> = new Set(["stale-fence", "newer-version"]);

function holds({ chain }: ReadJournal, { number, hash }: Head): boolean {
  return number === 0 || chain.some((line) => line.number === number && line.hash === hash);
}

function otherHead({ head, end, size }: ReadJournal, expected: Head): Problem {
  const message = `The record should hold a line ${expected.number} with the hash ${expected.hash}; it ends with line ${head.number}, ${head.hash}.`;
  return { kind: "other-head", line: head.number, offset: end, bytes: size - end, message };
}
