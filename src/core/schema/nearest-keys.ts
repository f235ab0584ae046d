/** The known names most like `name`, nearest first: at most three, none that shares too little with it. */
export function nearestKeys(name: string, known: readonly string[]): readonly string[] {
  const wanted = fold(name);
  return known
    .slice(0, MAX_KNOWN)
    .map((key) => ({ key, distance: distanceOf(wanted, fold(key)) }))
    .filter(({ key, distance }) => distance <= Math.ceil(Math.max(wanted.length, fold(key).length) / 3))
    .sort((left, right) => left.distance - right.distance)
    .slice(0, 3)
    .map(({ key }) => key);
}

const MAX_KNOWN = 200;
const MAX_LENGTH = 64;

/** Spelling apart from case and separators. */
function fold(name: string): string {
  return name
    .slice(0, MAX_LENGTH)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, "");
}

/** Levenshtein's distance; 0 where one is the beginning or the end of the other. */
function distanceOf(left: string, right: string): number {
  if (left.length > 2 && right.length > 2) {
    if (left.startsWith(right) || right.startsWith(left) || left.endsWith(right) || right.endsWith(left)) return 0;
  }
  let row = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
