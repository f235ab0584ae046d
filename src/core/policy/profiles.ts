import type { ToolDescriptor } from "../tool/descriptor.ts";
import { compileEntry, parseEntry } from "./parse-entry.ts";
import type { Trusts } from "./hints.ts";
import { isReadOnly } from "./hints.ts";

type Matches = (descriptor: ToolDescriptor, trusts: Trusts | undefined) => boolean;

/** What each profile lets through. */
const PROFILES: ReadonlyMap<string, Matches> = new Map<string, Matches>([
  ["readonly", isReadOnly],
  ["minimal", anyOf(["read", "ls", "find", "grep"])],
  ["coding", anyOf(["group:fs", "group:runtime", "group:web", "group:mcp", "group:plugins", "group:custom"])],
  ["full", () => true],
]);

export const PROFILE_NAMES: readonly string[] = [...PROFILES.keys()];

export function profileMatcher(name: string): Matches | undefined {
  return PROFILES.get(name);
}

function anyOf(entries: readonly string[]): Matches {
  const matchers = entries.flatMap((text) => {
    const parsed = parseEntry(text);
    return parsed.kind === "fault" ? [] : [compileEntry(parsed)];
  });
  return (descriptor) => matchers.some((matches) => matches(descriptor));
}
