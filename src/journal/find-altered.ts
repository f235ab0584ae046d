import { NO_LINE, type JournalLine } from "./journal-line.ts";

/**
 * The lines that were changed after they were written. Each line names the hash of the one before it, so a line that some
 * line names is as it was. Of a line that none names the number tells which should: where that one names a hash that no
 * line has, and is itself as it was (or is the last, of which nobody speaks), the line was changed.
 */
export function findAltered(lines: readonly JournalLine[]): ReadonlySet<JournalLine> {
  const numbers = new Map([[NO_LINE, 0], ...lines.map((line) => [line.hash, line.number] as const)]);
  const named = new Set(lines.map((line) => line.previous));
  const last = lines.at(-1);
  const witnesses = new Map<number, JournalLine>();
  for (const line of lines) {
    if (!numbers.has(line.previous) && (line === last || named.has(line.hash))) witnesses.set(line.number, line);
  }
  const altered = new Set<JournalLine>();
  for (const line of lines) {
    if (named.has(line.hash)) continue;
    const before = numbers.get(line.previous);
    const witness = witnesses.get((before ?? line.number - 1) + 2);
    if (witness && witness.offset > line.offset) altered.add(line);
  }
  return altered;
}
