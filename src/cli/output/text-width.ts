import { stripVTControlCharacters } from "node:util";

/** Columns that a text takes on a terminal: wide characters count two, combining ones none, colours none. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += characterWidth(character);
  return width;
}

/** Cuts a text without colours to at most `columns`, with a mark where something was cut. */
export function clipToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 1;
  let clipped = "";
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) break;
    clipped += character;
  }
  return `${clipped.trimEnd()}…`;
}

/** Spaces after the text up to `columns`; before it with `right`. A longer text stays as it is. */
export function padToWidth(text: string, columns: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, columns - textWidth(text)));
  return align === "left" ? text + space : space + text;
}

const PLAIN = /^[\u0020-\u007e]*$/;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;

function characterWidth(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** East Asian Wide and Fullwidth of Unicode's annex 11, in ranges, and what is drawn as emoji. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
