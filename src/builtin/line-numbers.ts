import type { Span } from "./match-edit.ts";

/** The number of the line that the offset is on, from 1. */
export function lineNumberAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}

/** "lines 3, 9 and 12", or the first few and how many more. */
export function listLineNumbers(text: string, places: readonly Span[]): string {
  const shown = places.slice(0, MOST_SHOWN).map(({ start }) => lineNumberAt(text, start));
  const rest = places.length - shown.length;
  const last = rest > 0 ? `${rest} more` : shown.pop();
  return `lines ${shown.join(", ")} and ${last}`;
}

const MOST_SHOWN = 10;
