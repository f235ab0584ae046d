import type { ToolDescriptor } from "../tool/descriptor.ts";
import { AUTHOR_VALIDATE, type AnyTool } from "../tool/tool.ts";

/**
 * The tool itself where its members are plain data; else a copy that reads each of them once. A member that is computed could
 * be another one each time it is read: one definition would be inspected, another one planned and a third one run.
 */
export function holdTool(tool: AnyTool): AnyTool {
  const { descriptor } = tool;
  if (isPlain(tool, TOOL_MEMBERS) && isPlain(descriptor, DESCRIPTOR_MEMBERS)) return tool;
  const copy = copyMembers(tool, TOOL_MEMBERS);
  for (const key of Reflect.ownKeys(copy)) {
    const value = copy[key];
    // Called as a method of the tool as it was given, whose state may be private to it.
    if (typeof value === "function") copy[key] = (...given: unknown[]): unknown => Reflect.apply(value, tool, given);
  }
  copy["descriptor"] = Object.freeze(copyMembers(descriptor, DESCRIPTOR_MEMBERS));
  // Every member of an AgentTool, as the tool has it.
  return Object.freeze(copy) as unknown as AnyTool;
}

const TOOL_MEMBERS: readonly (keyof AnyTool)[] = [
  "descriptor",
  "execute",
  "resources",
  "preview",
  "revert",
  "timeoutMs",
  "idleTimeoutMs",
  "exclusive",
  "override",
  AUTHOR_VALIDATE,
];

const DESCRIPTOR_MEMBERS: readonly (keyof ToolDescriptor)[] = [
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "owner",
  "executor",
  "availability",
  "annotations",
  "sortKey",
  "meta",
];

/** Own values, or what a class gives all of its objects as a method; no getters. */
function isPlain(holder: object, members: readonly PropertyKey[]): boolean {
  return members.every((key) => {
    const own = Object.getOwnPropertyDescriptor(holder, key);
    if (own) return "value" in own;
    return !(key in holder) || isMethod(Object.getPrototypeOf(holder), key);
  });
}

function isMethod(prototype: unknown, key: PropertyKey): boolean {
  if (typeof prototype !== "object" || prototype === null) return false;
  const own = Object.getOwnPropertyDescriptor(prototype, key);
  return own ? typeof own.value === "function" : isMethod(Object.getPrototypeOf(prototype), key);
}

function copyMembers(holder: object, members: readonly PropertyKey[]): Record<PropertyKey, unknown> {
  const copy: Record<PropertyKey, unknown> = {};
  for (const key of members) {
    const value: unknown = Reflect.get(holder, key);
    if (value !== undefined) copy[key] = value;
  }
  return copy;
}
