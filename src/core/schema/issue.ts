import { clipText } from "../json.ts";

/** One thing to change about a value. */
export interface SchemaIssue {
  /** JSON Pointer of the field; "" is the whole value. */
  readonly path: string;
  /** What the schema wants there, in words. */
  readonly expected: string;
  /** The value that came, as clipped JSON; `nothing` for a field that is missing. */
  readonly received: string;
  /** Whether the field may be left out. */
  readonly optional: boolean;
  readonly hint?: string;
}

/** `received` of a missing field, and `expected` of an unknown one. JSON is never equal to either. */
export const NOTHING = "nothing";
export const NO_FIELD = "no such field";

/** How many issues a message lists. */
const LISTED = 10;
/** The longest message, in UTF-8 bytes. */
const MAX_BYTES = 2000;

/** The issues as a message to the model: what to change, the same text for the same fault, at most 2 KB. */
export function formatIssues(toolName: string, issues: readonly SchemaIssue[]): string {
  const head = `The input of "${clipText(toolName, 64)}" does not fit its schema; nothing was run. Correct this and call again:`;
  const lines = [head];
  let bytes = bytesOf(head) + ROOM_FOR_REST;
  for (const issue of issues.slice(0, LISTED)) {
    const line = formatIssue(issue);
    bytes += bytesOf(line) + 1;
    if (bytes > MAX_BYTES) break;
    lines.push(line);
  }
  const unlisted = issues.length - (lines.length - 1);
  return unlisted > 0 ? [...lines, `- and ${unlisted} more`].join("\n") : lines.join("\n");
}

const ROOM_FOR_REST = 24;

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

function formatIssue({ path, expected, received, optional, hint }: SchemaIssue): string {
  const place = path === "" ? "the whole input" : clipText(path, 120);
  const end = hint === undefined ? "" : `; ${clipText(hint, 240)}`;
  if (received === NOTHING) return `- missing ${place}: expected ${clipText(expected, 200)}${end}`;
  if (expected === NO_FIELD) return `- unknown field ${place}, received ${clipText(received, 80)}${end}`;
  const may = path === "" ? "" : optional ? " (optional)" : " (required)";
  return `- ${place}${may}: expected ${clipText(expected, 200)}, received ${clipText(received, 80)}${end}`;
}
