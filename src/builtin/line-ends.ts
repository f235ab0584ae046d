import type { Span } from "./match-edit.ts";

/** `replacement` with the line ends of the lines that it goes into; as it is where the text has none. */
export function fitLineEnds(text: string, span: Span, replacement: string): string {
  const lineEnd = lineEndNear(text, span);
  if (lineEnd === undefined || !replacement.includes("\n")) return replacement;
  return replacement.replaceAll(/\r?\n/g, () => lineEnd);
}

/** Of the touched lines; else of the line before. */
function lineEndNear(text: string, { start, end }: Span): "\n" | "\r\n" | undefined {
  const after = text.indexOf("\n", start);
  const at = after === -1 ? text.lastIndexOf("\n", end) : after;
  if (at === -1) return undefined;
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}

/** Equal but for the kind of their line ends. */
export function differsOnlyInLineEnds(left: string, right: string): boolean {
  return left.replaceAll("\r\n", "\n") === right.replaceAll("\r\n", "\n");
}
