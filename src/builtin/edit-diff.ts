import { applyReplacements, type Replacement } from "./apply-edits.ts";

/** A unified diff of the replacements, with three lines of context, at most 200 lines long. `replacements` are in order. */
export function editDiff(path: string, text: string, replacements: readonly Replacement[]): string {
  const lines = splitLines(text);
  const starts = lineStarts(lines);
  const rows: string[] = [];
  let shift = 0;
  for (const group of groupByLines(starts, replacements)) {
    const hunk = buildHunk({ text, lines, starts, group, shift });
    rows.push(...hunk.rows);
    shift += hunk.growth;
  }
  const shown = rows.slice(0, MOST_ROWS).map(clipRow);
  const rest = rows.length - shown.length;
  return [
    `--- ${path}`,
    `+++ ${path}`,
    ...shown,
    ...(rest > 0 ? [`[${rest} more lines of the diff are not shown]`] : []),
  ].join("\n");
}

const CONTEXT_LINES = 3;
const MOST_ROWS = 200;
const LONGEST_ROW = 500;

/** Lines with their line ends; none for an empty text. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The offset of each line's first unit, and the text's length at the end. */
function lineStarts(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length);
  return starts;
}

/** Lines from `first` up to and without `end`, counted from 0, and what is replaced in them. */
interface Group {
  readonly first: number;
  end: number;
  readonly replacements: Replacement[];
}

/** Replacements whose context would touch share a hunk. */
function groupByLines(starts: readonly number[], replacements: readonly Replacement[]): readonly Group[] {
  const groups: Group[] = [];
  for (const replacement of replacements) {
    const first = lineOf(starts, replacement.start);
    const end = lineOf(starts, Math.max(replacement.start, replacement.end - 1)) + 1;
    const last = groups.at(-1);
    if (last && first <= last.end + CONTEXT_LINES * 2) {
      last.end = Math.max(end, last.end);
      last.replacements.push(replacement);
    } else groups.push({ first, end, replacements: [replacement] });
  }
  return groups;
}

/** The index of the line that holds the offset. */
function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low;
}

interface HunkRequest {
  readonly text: string;
  readonly lines: readonly string[];
  readonly starts: readonly number[];
  readonly group: Group;
  readonly shift: number;
}

function buildHunk({ text, lines, starts, group, shift }: HunkRequest): {
  readonly rows: readonly string[];
  readonly growth: number;
} {
  const from = starts[group.first] ?? 0;
  const moved = group.replacements.map(({ start, end, text: instead }) => ({
    start: start - from,
    end: end - from,
    text: instead,
  }));
  const before = lines.slice(group.first, group.end);
  const after = splitLines(applyReplacements(text.slice(from, starts[group.end]), moved));
  const head = lines.slice(Math.max(0, group.first - CONTEXT_LINES), group.first);
  const tail = lines.slice(group.end, group.end + CONTEXT_LINES);
  const body = diffRows(before, after);
  const around = head.length + tail.length;
  const start = group.first - head.length + 1;
  const header = `@@ -${start},${before.length + around} +${start + shift},${after.length + around} @@`;
  const rows = [...head.map((line) => ` ${line}`), ...body, ...tail.map((line) => ` ${line}`)];
  return { rows: [header, ...rows.map(dropLineEnd)], growth: after.length - before.length };
}

/** Common lines at both ends are context; the rest is taken out and put in whole. */
function diffRows(before: readonly string[], after: readonly string[]): readonly string[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
}

function dropLineEnd(row: string): string {
  return row.endsWith("\n") ? row.replace(/\r?\n$/, "") : `${row}\n\\ No newline at end of file`;
}

function clipRow(row: string): string {
  return row.length > LONGEST_ROW
    ? `${row.slice(0, LONGEST_ROW).toWellFormed()}… [${row.length - LONGEST_ROW} more characters]`
    : row;
}
