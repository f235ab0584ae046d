import { ToolmapError } from "../../core/errors.ts";
import { clipText } from "../../core/json.ts";

/** Milliseconds of a duration as people type it: `500ms`, `30s`, `1.5m`, `2h`. Throws `usage`. */
export function readDuration(text: string, flag: string): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  const ms = Math.round(Number(amount) * (UNITS.get(unit) ?? Number.NaN));
  if (ms >= 1 && ms <= LONGEST) return ms;
  throw new ToolmapError("usage", `${flag} "${clipText(text, 60)}" is not a duration between 1ms and 24h.`, {
    fix: `Write it like ${flag} 30s; the units are ms, s, m and h.`,
  });
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
const LONGEST = 24 * 3_600_000;
