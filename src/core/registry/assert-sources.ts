import { ToolmapError } from "../errors.ts";
import { clipText, isRecord } from "../json.ts";
import { isOwnerKind } from "./find-tool-fault.ts";
import type { ToolSource } from "./source.ts";
import { thrownText } from "./thrown-text.ts";

/** Throws ToolmapError `bad-source` for the first source that is none, or that has the id of another one. */
export function assertSources(sources: readonly ToolSource[]): void {
  const ids = new Set<string>();
  for (const source of sources) {
    const fault = faultOf(source);
    if (fault !== undefined)
      throw new ToolmapError("bad-source", `A source cannot be used: ${fault}.`, {
        fix: "A source is { id, kind, list, subscribe }, and may have start and close.",
      });
    if (ids.has(source.id))
      throw new ToolmapError("bad-source", `Two sources have the id "${clipText(source.id, 80)}".`, {
        fix: "Give each its own.",
      });
    ids.add(source.id);
  }
}

function faultOf(source: unknown): string | undefined {
  try {
    if (!isRecord(source)) return "it is not an object";
    const { id, kind } = source;
    if (typeof id !== "string" || id === "") return "it has no id";
    const named = `"${clipText(id, 80)}"`;
    if (!isOwnerKind(kind)) return `the kind of ${named} is none of core, plugin, channel, mcp, custom`;
    for (const key of ["list", "subscribe"])
      if (typeof source[key] !== "function") return `${named} has no ${key} function`;
    for (const key of ["start", "close"])
      if (source[key] !== undefined && typeof source[key] !== "function")
        return `the ${key} of ${named} is not a function`;
    return undefined;
  } catch (error) {
    return `a member of it cannot be read (${thrownText(error)})`;
  }
}
