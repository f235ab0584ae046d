import { ToolmapError } from "../errors.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import { compileEntry, parseEntry } from "./parse-entry.ts";

/** Whether a tool is one of those that any of the entries means. Throws `bad-policy`; `where` is for the message. */
export function compileEntries(entries: readonly string[], where: string): (descriptor: ToolDescriptor) => boolean {
  if (!Array.isArray(entries)) throw new ToolmapError("bad-policy", `${where}: its tools must be a list of entries.`);
  const matchers = (entries as readonly unknown[]).map((text) => {
    const parsed = parseEntry(text);
    if (parsed.kind === "fault")
      throw new ToolmapError("bad-policy", `${where}: ${parsed.message}.`, { fix: parsed.fix });
    return compileEntry(parsed);
  });
  return (descriptor) => matchers.some((matches) => matches(descriptor));
}
