/** How many pairs are compared before two values count as different. */
const MOST_PAIRS = 100_000;

/**
 * Structural equality of two values that may be anything: as deep as memory allows, circular, with members that cannot be
 * read. Never throws and never recurses; what is larger than the bound counts as different. Member order does not matter.
 */
export function sameValue(left: unknown, right: unknown): boolean {
  const pending: unknown[] = [left, right];
  try {
    for (let pairs = 0; pending.length > 0; pairs += 1) {
      if (pairs > MOST_PAIRS || pending.length > 2 * MOST_PAIRS) return false;
      const b = pending.pop();
      const a = pending.pop();
      if (!Object.is(a, b) && !pushMembers(a, b, pending)) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/** Adds the pairs of members to compare. False when the two differ already. */
function pushMembers(left: unknown, right: unknown, pending: unknown[]): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length > MOST_PAIRS || keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    pending.push((left as Readonly<Record<string, unknown>>)[key], (right as Readonly<Record<string, unknown>>)[key]);
  }
  return true;
}
