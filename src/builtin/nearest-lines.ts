import { clipText } from "../core/json.ts";

/** A clause with the lines that are most like the first telling line of `wanted`; empty if none is like it. */
export function describeNearest(text: string, wanted: string): string {
  const line = wanted.split("\n").find((each) => /\w{2}|[^\s\p{P}]/u.test(each)) ?? wanted.split("\n")[0] ?? "";
  const target = pairsOf(line);
  const lines = text.split("\n", MOST_LINES);
  const scored = lines.map((found, index) => ({ found, number: index + 1, score: likeness(target, pairsOf(found)) }));
  const nearest = scored.filter(({ score }) => score >= ALIKE).sort((left, right) => right.score - left.score);
  if (nearest.length === 0) return "";
  const places = nearest.slice(0, MOST_PLACES).map(({ found, number }) => describePlace({ found, number, line }));
  return `; most like it: ${places.join("; ")}`;
}

/** Bounds of the search, and how alike (0 to 1) a line must be to be worth showing. */
const MOST_LINES = 20_000;
const MOST_PLACES = 3;
const MOST_CHARACTERS = 200;
const ALIKE = 0.5;

/** The pairs of neighbouring letters, blanks and look-alikes folded. */
function pairsOf(line: string): ReadonlySet<string> {
  const folded = fold(line.slice(0, MOST_CHARACTERS)).replace(/\s+/g, " ").trim();
  const pairs = new Set<string>();
  if (folded.length === 1) pairs.add(folded);
  for (let at = 0; at + 1 < folded.length; at += 1) pairs.add(folded.slice(at, at + 2));
  return pairs;
}

function fold(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-");
}

/** Twice the shared pairs over all pairs (Dice). */
function likeness(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  if (left.size === 0 || right.size === 0) return 0;
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}

interface NearPlace {
  readonly found: string;
  readonly number: number;
  readonly line: string;
}

function describePlace({ found, number, line }: NearPlace): string {
  const shown = JSON.stringify(clipText(found.replace(/\r$/, ""), 120));
  if (found.replace(/\r$/, "").includes(line.replace(/\r$/, "")))
    return `line ${number} ${shown} has its first line, the lines around differ`;
  return `line ${number} ${shown}${firstDifference(found, line)}`;
}

/** Names the two code points where they first differ: look-alikes cannot be told apart otherwise. */
function firstDifference(found: string, wanted: string): string {
  const left = Array.from(found.trim());
  const right = Array.from(wanted.trim());
  const at = left.findIndex((character, index) => character !== right[index]);
  const [has, gave] = [left[at], right[at]];
  if (has === undefined || gave === undefined)
    return left.join("") === right.join("") ? " (blanks around it differ)" : "";
  return ` (there ${codePoint(has)} stands where "old" has ${codePoint(gave)})`;
}

function codePoint(character: string): string {
  if (/[!-~]/.test(character)) return JSON.stringify(character);
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
