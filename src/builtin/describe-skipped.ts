import type { Skipped } from "./walk.ts";

/** "Skipped: 2 hidden entries, …" with the way to them; undefined if nothing was left out. */
export function describeSkipped(skipped: Skipped, more: readonly string[] = []): string | undefined {
  const parts = [
    ...part(skipped.hidden, "hidden entry", "hidden entries"),
    ...part(skipped.ignored, ".git or node_modules folder", ".git or node_modules folders"),
    ...part(skipped.links, "symbolic link", "symbolic links"),
    ...part(skipped.unreadable, "unreadable entry", "unreadable entries"),
    ...more,
  ];
  if (parts.length === 0) return undefined;
  const hint = skipped.hidden + skipped.ignored > 0 ? " Name one as path to look into it." : "";
  return `Skipped: ${parts.join(", ")}.${hint}`;
}

export function part(count: number, one: string, many: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
