/** How deep a JSON value may nest: deeper is refused, so that no walk overflows the stack. */
export const MAX_DEPTH = 512;

/** How many members the objects of a parsed JSON value have in all; undefined when it nests deeper than `MAX_DEPTH`. */
export function countMembers(value: object | null): number | undefined {
  if (value === null) return 0;
  const count = countIn(value, MAX_DEPTH);
  return count < 0 ? undefined : count;
}

/** -1 when there are more than `depth` levels. */
function countIn(value: object, depth: number): number {
  if (depth === 0) return -1;
  let count = 0;
  if (Array.isArray(value)) {
    // Array.isArray answers any[]
    for (const item of value as readonly unknown[]) {
      if (typeof item !== "object" || item === null) continue;
      const inside = countIn(item, depth - 1);
      if (inside < 0) return -1;
      count += inside;
    }
    return count;
  }
  for (const name in value) {
    count++;
    const member = (value as Readonly<Record<string, unknown>>)[name]; // its own name, just listed
    if (typeof member !== "object" || member === null) continue;
    const inside = countIn(member, depth - 1);
    if (inside < 0) return -1;
    count += inside;
  }
  return count;
}
