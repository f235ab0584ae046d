import { isRecord } from "../json.ts";
import { findSchemaFault } from "../schema/find-schema-fault.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenReason } from "../tool/diagnostic.ts";
import { isToolName } from "../tool/name.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";

/** What is wrong with a tool, as its source gave it. */
export interface ToolFault {
  readonly reason: HiddenReason;
  readonly message: string;
  /** As much of a descriptor as can be shown. */
  readonly descriptor: ToolDescriptor;
}

/** Well-formed tools, so that a rebuild looks at new ones only. */
const sound = new WeakSet<object>();

/** Looks a tool over. Undefined when it is well formed. Never throws, whatever the source put there. */
export function inspectTool(tool: unknown, kind: ToolOwnerRef["kind"]): ToolFault | undefined {
  if (typeof tool === "object" && tool !== null && sound.has(tool)) return undefined;
  let fault: ToolFault | undefined;
  try {
    fault = findFault(tool, kind);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown";
    fault = faultOf(undefined, kind, "schema-unfit", `a member of the tool cannot be read (${reason})`);
  }
  if (!fault && typeof tool === "object" && tool !== null) sound.add(tool);
  return fault;
}

function findFault(tool: unknown, kind: ToolOwnerRef["kind"]): ToolFault | undefined {
  if (!isRecord(tool)) return faultOf(undefined, kind, "schema-unfit", "the tool is not an object");
  const { descriptor, execute } = tool;
  if (!isRecord(descriptor)) return faultOf(undefined, kind, "schema-unfit", "the tool has no descriptor");
  const { name, description, inputSchema, owner, outputSchema } = descriptor;
  const of = (reason: HiddenReason, message: string): ToolFault => faultOf(descriptor, kind, reason, message);
  if (typeof name !== "string" || !isToolName(name)) {
    return of(
      "schema-unfit",
      `the name ${JSON.stringify(name)} is not legal: letters, digits, _ and -, at most 64, not starting with a digit`,
    );
  }
  if (typeof description !== "string") return of("schema-unfit", `"${name}" has no description`);
  if (!isRecord(owner) || typeof owner["kind"] !== "string") return of("schema-unfit", `"${name}" has no owner`);
  if (owner["kind"] !== kind) {
    return of("schema-unfit", `"${name}" says that its owner is ${owner["kind"]}, and its source is of kind ${kind}`);
  }
  if (typeof execute !== "function") return of("missing-executor", `"${name}" has no execute function`);
  if (!isRecord(inputSchema)) return of("schema-unfit", `"${name}": the input schema is not an object`);
  const fault =
    findSchemaFault(inputSchema) ?? (outputSchema === undefined ? undefined : findSchemaFault(outputSchema));
  return (
    fault &&
    of("schema-unfit", `"${name}": the schema is not JSON Schema at ${fault.path || "its root"}: ${fault.message}`)
  );
}

function faultOf(
  descriptor: Readonly<Record<string, unknown>> | undefined,
  kind: ToolOwnerRef["kind"],
  reason: HiddenReason,
  message: string,
): ToolFault {
  return { reason, message, descriptor: showable(descriptor, kind) };
}

/** A descriptor that can be listed, however broken the given one is. */
function showable(
  descriptor: Readonly<Record<string, unknown>> | undefined,
  kind: ToolOwnerRef["kind"],
): ToolDescriptor {
  const text = (key: string, otherwise: string): string => {
    try {
      const value = descriptor?.[key];
      return typeof value === "string" ? value.slice(0, 128) : otherwise;
    } catch {
      return otherwise;
    }
  };
  return Object.freeze({
    name: text("name", "(unnamed)"),
    description: text("description", ""),
    inputSchema: Object.freeze({ type: "object" }),
    owner: ownerOfKind(kind),
  });
}

function ownerOfKind(kind: ToolOwnerRef["kind"]): ToolOwnerRef {
  switch (kind) {
    case "core":
    case "custom":
      return { kind };
    case "plugin":
      return { kind, pluginId: "unknown" };
    case "channel":
      return { kind, channelId: "unknown" };
    case "mcp":
      return { kind, serverId: "unknown" };
  }
}
