import { ToolmapError } from "../../core/errors.ts";
import { clipText } from "../../core/json.ts";

/** A count as people type it. Throws `usage` where it is none, or less than `least`. */
export function readCount(text: string, flag: string, { least }: { readonly least: number }): number {
  const count = /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (count >= least) return count;
  throw new ToolmapError("usage", `${flag} "${clipText(text, 60)}" is not a whole number from ${least} on.`, {
    fix: `Write it like ${flag} 20.`,
  });
}
