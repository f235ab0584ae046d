import { findAltered } from "./find-altered.ts";
import { NO_LINE, type JournalLine, type RawLine } from "./journal-line.ts";
import type { Problem, ProblemKind } from "./problem.ts";

export interface Chain {
  /** The lines that stand, in order. */
  readonly lines: readonly JournalLine[];
  readonly problems: readonly Problem[];
  /** The highest fence among them; 0 when there is none. */
  readonly fence: number;
}

/**
 * Which lines stand. A line whose successor names another hash was altered; one with a lower fence than a line before it
 * was written by a writer that had lost the session. Neither counts for the chain.
 */
export function followChain(lines: readonly JournalLine[], broken: readonly RawLine[]): Chain {
  if (isUnbroken(lines)) return { lines, problems: [], fence: lines.at(-1)?.fence ?? 0 };
  const problems: Problem[] = [];
  const altered = findAltered(lines);
  for (const line of altered) problems.push(problem("damaged-line", line, ALTERED));
  const stands = standing(lines, altered, problems);
  const gaps = [...altered, ...broken].map(({ offset }) => offset).sort((a, b) => a - b);
  reportBreaks(stands, gaps, problems);
  return { lines: stands, problems, fence: stands.at(-1)?.fence ?? 0 };
}

const ALTERED = "was changed after it was written: the line after it names another hash. It is skipped.";
const STALE = "was written by a process that had lost the session. It is ignored.";
const BROKEN = "does not follow the line before it: lines are missing, added or in another order.";

function isUnbroken(lines: readonly JournalLine[]): boolean {
  let previous = NO_LINE;
  let number = 0;
  let fence = 0;
  for (const line of lines) {
    number += 1;
    if (line.previous !== previous || line.number !== number || line.fence < fence) return false;
    previous = line.hash;
    fence = line.fence;
  }
  return true;
}

function standing(
  lines: readonly JournalLine[],
  altered: ReadonlySet<JournalLine>,
  problems: Problem[],
): JournalLine[] {
  const stands: JournalLine[] = [];
  const places = new Map<string, number>([[NO_LINE, -1]]);
  for (const line of lines) {
    if (altered.has(line)) continue;
    const last = stands.at(-1);
    if (last && line.fence < last.fence) {
      problems.push(problem("stale-fence", line, STALE));
      continue;
    }
    if (last && line.fence > last.fence) {
      for (const each of superseded(stands, line, places)) problems.push(problem("stale-fence", each, STALE));
    }
    places.set(line.hash, stands.length);
    stands.push(line);
  }
  return stands;
}

/** A new owner goes on from the last line that it read; what the old one wrote in between was written too late. */
function superseded(
  stands: JournalLine[],
  line: JournalLine,
  places: ReadonlyMap<string, number>,
): readonly JournalLine[] {
  const place = places.get(line.previous);
  const before = place === undefined ? undefined : stands[place];
  const goesOn = place === -1 ? line.number === 1 : before?.hash === line.previous && before.number === line.number - 1;
  return goesOn && place !== undefined ? stands.splice(place + 1) : [];
}

/** Where a line is missing because it is damaged, that has been said. */
function reportBreaks(lines: readonly JournalLine[], gaps: readonly number[], problems: Problem[]): void {
  let last: Pick<JournalLine, "hash" | "number" | "offset"> = { hash: NO_LINE, number: 0, offset: -1 };
  let gap = 0;
  for (const line of lines) {
    let missing = 0;
    for (; gap < gaps.length && (gaps[gap] ?? 0) < line.offset; gap += 1) missing += 1;
    const follows = line.previous === last.hash && line.number === last.number + 1;
    const isExplained = line.number > last.number + 1 && line.number <= last.number + 1 + missing;
    if (!follows && !isExplained) problems.push(problem("chain-broken", line, BROKEN));
    last = line;
  }
}

function problem(kind: ProblemKind, { line, offset, bytes }: JournalLine, what: string): Problem {
  return { kind, line, offset, bytes, message: `Line ${line} ${what}` };
}
