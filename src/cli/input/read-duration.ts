import { ToolmapError } from "../../core/errors.ts";
import { clipText } from "../../core/json.ts";

/**
 * Milliseconds of a duration as people type it: `500ms`, `30s`, `1.5m`, `2h`, `7d`. Throws `usage`. Without `longestDays` it is
 * something to wait for, and 24 hours are the most.
 */
export function readDuration(
  text: string,
  flag: string,
  { longestDays = 1 }: { readonly longestDays?: number } = {},
): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const ms = Math.round(Number(amount) * (UNITS.get(unit) ?? Number.NaN));
  if (ms >= 1 && ms <= longestDays * DAY) return ms;
  const longest = longestDays === 1 ? "24h" : `${longestDays}d`;
  const example = longestDays === 1 ? "30s" : "30d";
  throw new ToolmapError("usage", `${flag} "${clipText(text, 60)}" is not a duration between 1ms and ${longest}.`, {
    fix: `Write it like ${flag} ${example}; the units are ms, s, m, h and d.`,
  });
}

const DAY = 24 * 3_600_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", DAY],
]);
