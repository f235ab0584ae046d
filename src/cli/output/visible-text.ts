/**
 * Text that cannot command a terminal: control characters become pictures (ESC is ␛), what turns the direction of
 * writing or hides becomes its code point. Line ends and tabs stay.
 */
export function visibleText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n/g, "\n")
    .replace(COMMANDS, (character) => show(character.codePointAt(0) ?? 0));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visibleText(text)
    .replace(/\s*\n\s*/g, " ↵ ")
    .replaceAll("\t", " ");
}

/** C0 but for tab and line feed, DEL, C1, marks and overrides of direction, line separators, tag characters. */
const COMMANDS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu;

function show(code: number): string {
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
