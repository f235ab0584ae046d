import { NO_LINE, type JournalLine } from "./journal-line.ts";

/**
 * The lines that were changed after they were written. Each line names the hash of the one before it, so a line that some
 * line names is as it was. A line that none names was changed if the one whose number comes next names a hash that no line
 * has, and was not changed itself; so the last lines are judged first. Of the very last nobody speaks: it stands.
 */
export function findAltered(lines: readonly JournalLine[]): ReadonlySet<JournalLine> {
  const numbers = new Map([[NO_LINE, 0], ...lines.map((line) => [line.hash, line.number] as const)]);
  const named = new Set(lines.map((line) => line.previous));
  const witnesses = new Set<number>();
  const altered = new Set<JournalLine>();
  for (const line of lines.toReversed()) {
    const before = numbers.get(line.previous);
    const next = (before ?? line.number - 1) + 2;
    if (!named.has(line.hash) && witnesses.has(next)) altered.add(line);
    else if (before === undefined) witnesses.add(line.number);
  }
  return altered;
}
