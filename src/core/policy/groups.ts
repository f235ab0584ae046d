import type { ToolOwnerRef } from "../tool/owner.ts";

/** The groups by name of tool. */
export const GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ["fs", ["read", "write", "edit", "apply_patch", "ls", "find", "grep"]],
  ["runtime", ["exec", "process"]],
  ["web", ["web_fetch", "web_search", "http"]],
]);

/** The groups by owner. */
export const OWNER_GROUPS: ReadonlyMap<string, ToolOwnerRef["kind"]> = new Map([
  ["core", "core"],
  ["plugins", "plugin"],
  ["channels", "channel"],
  ["mcp", "mcp"],
  ["custom", "custom"],
]);

/** Every built-in that the groups name: known, whether it is here or not. */
export const KNOWN_BUILT_INS: ReadonlySet<string> = new Set([...GROUPS.values()].flat());

export const GROUP_NAMES: readonly string[] = [...GROUPS.keys(), ...OWNER_GROUPS.keys()];
