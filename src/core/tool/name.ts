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
 * whatever sanitising or shortening loses is made up for by a tail of their hash.
 */
export function exposedToolName(
  serverId: string,
  rawName: string,
  { prefix = "always" }: { readonly prefix?: "always" | "never" } = {},
): string {
  const plain = prefix === "always" ? `${serverId}__${rawName}` : rawName;
  const isClear = isToolName(plain) && plain.length <= LONGEST_EXPOSED;
  if (isClear && (prefix === "never" || isOneWay(serverId, rawName))) return plain;
  const tail = digestText(JSON.stringify([serverId, rawName])).slice(0, HASH_LENGTH);
  const legal = plain.replaceAll(/[^A-Za-z0-9_-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  return `${legal.slice(0, LONGEST_EXPOSED - HASH_LENGTH - 1)}_${tail}`;
}

const HASH_LENGTH = 10;

/** Whether `server__tool` can be read back in one way only. */
function isOneWay(serverId: string, rawName: string): boolean {
  return !serverId.includes("__") && !serverId.endsWith("_") && !rawName.startsWith("_");
}

/** The candidates that are most like a name that is not among them, best first. Bounded in time and length. */
export function nearestNames(name: string, candidates: readonly string[], limit: number): readonly string[] {
  const wanted = canonicalToolName(name.slice(0, LONGEST_COMPARED));
  if (wanted.trim() === "") return [];
  const scored = candidates.map((candidate) => ({
    candidate,
    score: unlikeness(wanted, canonicalToolName(candidate.slice(0, LONGEST_COMPARED))),
  }));
  return scored
    .filter(({ score }) => score <= FARTHEST)
    .sort((a, b) => a.score - b.score || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

const LONGEST_COMPARED = 64;
/** How unlike two names may be: 0 is the same, 1 has nothing in common. */
const FARTHEST = 0.5;

/** The smaller of two measures: letters to change, and words not shared (`fetch_orders` and `list_orders` share one). */
function unlikeness(left: string, right: string): number {
  const letters = editDistance(left, right) / Math.max(left.length, right.length);
  const [ours, theirs] = [wordsOf(left), wordsOf(right)];
  const shared = ours.filter((word) => word.length > 2 && theirs.includes(word)).length;
  const words = shared === 0 ? 1 : 1 - shared / Math.max(ours.length, theirs.length);
  return Math.min(letters, words);
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[^a-z0-9]+/).filter((word) => word !== "");
}

/** Insertions, deletions, changes and swaps of neighbours (optimal string alignment). */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const change = left[i - 1] === right[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[right.length] ?? 0;
}
