import { digestText } from "../digest.ts";

const LEGAL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Whether every provider that we know takes this name. */
export function isToolName(name: string): boolean {
  return LEGAL_NAME.test(name);
}

/** The name with case and dashes folded. Names are unique by it. Independent of any locale. */
export function canonicalToolName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** The longest exposed name: a client may put a prefix of its own before it and still stay under 64. */
const LONGEST_EXPOSED = 60;

/**
 * The name under which a server's tool stands in the Map: `server__tool`, legal everywhere. A function of the two names only:
 * whatever sanitising or shortening loses is made up for by a tail of their hash. With prefix `never` the raw name alone.
 */
export function exposedToolName(
  serverId: string,
  rawName: string,
  { prefix = "always" }: { readonly prefix?: "always" | "never" } = {},
): string {
  const plain = prefix === "always" ? `${serverId}__${rawName}` : rawName;
  const isClear = isToolName(plain) && plain.length <= LONGEST_EXPOSED && !LOOKS_HASHED.test(plain);
  if (isClear && (prefix === "never" || isOneWay(serverId, rawName))) return plain;
  const tail = digestText(JSON.stringify([serverId, rawName])).slice(0, HASH_LENGTH);
  const start = plain.slice(0, LONGEST_EXPOSED).replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const legal = start.replace(/^(?![A-Za-z_])/, "_");
  return `${legal.slice(0, LONGEST_EXPOSED - HASH_LENGTH - 1)}_${tail}`;
}

const HASH_LENGTH = 10;

/** Such a name, taken as it stands, could be made to equal another tool's hashed one, dashes folded or not. */
const LOOKS_HASHED = /[_-][0-9a-f]{10}$/i;

/** Whether `server__tool` can be read back in one way only, dashes folded or not. */
function isOneWay(serverId: string, rawName: string): boolean {
  const server = canonicalToolName(serverId);
  return !server.includes("__") && !server.endsWith("_") && !/^[_-]/.test(rawName);
}
/**
 * The candidates that are most like a name that is not among them, best first, at most `limit`. Each is written as it was
 * given. Bounded in time: names are compared by their first 64 characters, and of very many candidates only the likeliest.
 */
export function nearestNames(name: string, candidates: readonly string[], limit: number): readonly string[] {
  const wanted = profileOf(name);
  if (wanted.text.trim() === "" || limit < 1) return [];
  const likely = [...new Set(candidates)]
    .map((candidate) => boundOf(wanted, candidate))
    .filter(({ score }) => score <= FARTHEST)
    .sort(byScore);
  const kept: Scored[] = [];
  let letters = MOST_LETTERS;
  for (const { candidate, score: bound } of likely) {
    const worst = kept.length < limit ? FARTHEST : (kept.at(-1)?.score ?? FARTHEST);
    if (bound > worst || letters < 0) break;
    letters -= wanted.text.length * LONGEST_COMPARED;
    const score = unlikeness(wanted, profileOf(candidate));
    if (score <= worst) keep(kept, { candidate, score }, limit);
  }
  return kept.map(({ candidate }) => candidate);
}

const LONGEST_COMPARED = 64;
/** How unlike two names may be: 0 is the same, 1 has nothing in common. */
const FARTHEST = 0.5;
/** Pairs of letters to look at before the search ends with what it has: some milliseconds. */
const MOST_LETTERS = 2_000_000;

interface Scored {
  readonly candidate: string;
  readonly score: number;
}

interface Profile {
  readonly text: string;
  readonly words: readonly string[];
}

function profileOf(name: string): Profile {
  const start = name.slice(0, LONGEST_COMPARED);
  const words = start.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
  return { text: comparedText(name), words: words.split(/[^a-z0-9]+/).filter((word) => word !== "") };
}

/** Cut once more after folding: some letters are longer in lower case. */
function comparedText(name: string): string {
  return canonicalToolName(name.slice(0, LONGEST_COMPARED)).slice(0, LONGEST_COMPARED);
}

function keep(kept: Scored[], scored: Scored, limit: number): void {
  kept.push(scored);
  kept.sort(byScore);
  if (kept.length > limit) kept.pop();
}

function byScore(left: Scored, right: Scored): number {
  return left.score - right.score || (left.candidate < right.candidate ? -1 : left.candidate > right.candidate ? 1 : 0);
}

/** How unlike a candidate is at least: what its letters alone say, in no order. A shared word may undercut it. */
function boundOf(wanted: Profile, candidate: string): Scored {
  const text = comparedText(candidate);
  if (wanted.words.some((word) => word.length >= SHORTEST_WORD && text.includes(word)))
    return {
      candidate,
      score: Math.min(unlikenessOfWords(wanted, profileOf(candidate)), letterBound(wanted.text, text)),
    };
  return { candidate, score: letterBound(wanted.text, text) };
}

const letterCounts = new Int8Array(128);

/** Letters of one that the other lacks, by number: never more than the changes between them. */
function letterBound(left: string, right: string): number {
  letterCounts.fill(0);
  for (let at = 0; at < left.length; at += 1) addLetter(left.charCodeAt(at), 1);
  for (let at = 0; at < right.length; at += 1) addLetter(right.charCodeAt(at), -1);
  let [more, less] = [0, 0];
  for (const count of letterCounts) {
    if (count > 0) more += count;
    else less -= count;
  }
  return Math.max(more, less) / Math.max(left.length, right.length, 1);
}

/** Letters that share a slot make the bound lower, never wrong. */
function addLetter(code: number, by: number): void {
  letterCounts[code & 127] = (letterCounts[code & 127] ?? 0) + by;
}

/** The smaller of two measures: letters to change, and words not shared (`fetch_orders` and `list_orders` share one). */
function unlikeness(left: Profile, right: Profile): number {
  const letters = editDistance(left.text, right.text) / Math.max(left.text.length, right.text.length);
  return Math.min(letters, unlikenessOfWords(left, right));
}

/** Shorter words, such as `of` and `id`, say nothing. */
const SHORTEST_WORD = 3;

function unlikenessOfWords({ words: ours }: Profile, { words: theirs }: Profile): number {
  const shared = ours.filter((word) => word.length >= SHORTEST_WORD && theirs.includes(word)).length;
  return shared === 0 ? 1 : Math.max(0, 1 - (2 * shared) / (ours.length + theirs.length));
}

/** Rows of the table of distances, the current one last. One use at a time: the search is synchronous. */
const rows = [0, 1, 2].map(() => new Uint8Array(LONGEST_COMPARED + 1)) as [Uint8Array, Uint8Array, Uint8Array]; // three

/** Insertions, deletions, changes and swaps of neighbours (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let [beforeLast, last, row] = rows;
  for (let j = 0; j <= right.length; j += 1) last[j] = j;
  for (let i = 1; i <= left.length; i += 1) {
    row[0] = i;
    const letter = left.charCodeAt(i - 1);
    for (let j = 1; j <= right.length; j += 1) {
      const change = letter === right.charCodeAt(j - 1) ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      const isSwap =
        i > 1 && j > 1 && letter === right.charCodeAt(j - 2) && left.charCodeAt(i - 2) === right.charCodeAt(j - 1);
      if (isSwap) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row[j] = cost;
    }
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[right.length] ?? 0;
}
