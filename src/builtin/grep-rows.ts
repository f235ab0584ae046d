import type { LineMatch } from "./line-matcher.ts";

/** A file's lines and what is shown of them. */
export interface RowRequest {
  readonly path: string;
  readonly lines: readonly string[];
  readonly context: number;
}

/**
 * The rows of one match: `path:12: text`, with `path-11- text` for the lines around it. `after` is the last line already
 * shown, so that lines between two matches appear once. Lines from 0.
 */
export function rowsOfMatch({ path, lines, context }: RowRequest, match: LineMatch, after: number): readonly string[] {
  const rows: string[] = [];
  const first = Math.max(0, match.line - context, after + 1);
  if (context > 0 && after >= 0 && first > after + 1) rows.push("--");
  for (let line = first; line < match.line; line += 1)
    rows.push(`${path}-${line + 1}- ${clipLine(lines[line] ?? "", 0)}`);
  rows.push(`${path}:${match.line + 1}: ${clipLine(lines[match.line] ?? "", match.at)}`);
  return rows;
}

/** The rows after a match, up to the next match's own. */
export function rowsAfterMatch(
  { path, lines, context }: RowRequest,
  line: number,
  next: number | undefined,
): readonly string[] {
  const end = Math.min(lines.length, line + context + 1, next ?? Number.POSITIVE_INFINITY);
  const rows: string[] = [];
  for (let at = line + 1; at < end; at += 1) rows.push(`${path}-${at + 1}- ${clipLine(lines[at] ?? "", 0)}`);
  return rows;
}

const LONGEST_LINE = 500;
const LEAD_IN = 100;

/** A long line is cut to the part around the match; each cut is marked. */
function clipLine(raw: string, at: number): string {
  const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  if (line.length <= LONGEST_LINE) return line.toWellFormed();
  const start = at < LONGEST_LINE - LEAD_IN ? 0 : at - LEAD_IN;
  const end = Math.min(line.length, start + LONGEST_LINE);
  const before = start > 0 ? `[${start} characters]… ` : "";
  const after = end < line.length ? ` …[${line.length - end} characters]` : "";
  return `${before}${line.slice(start, end).toWellFormed()}${after}`;
}
