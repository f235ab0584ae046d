import { clipText, isRecord } from "../json.ts";
import { findSchemaFault, type SchemaFault, type SchemaSide } from "../schema/find-schema-fault.ts";
import type { HiddenReason } from "../tool/diagnostic.ts";
import { isToolName } from "../tool/name.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import { AUTHOR_VALIDATE } from "../tool/tool.ts";

/** What is wrong with a tool, in words that name it. */
export interface Fault {
  readonly reason: HiddenReason;
  readonly message: string;
}

type Members = Readonly<Record<PropertyKey, unknown>>;

/**
 * The first thing that keeps a tool of a source of this kind from being used: whatever a later stage relies on is looked at
 * here once. May throw what a getter of the tool throws.
 */
export function findToolFault(tool: unknown, kind: ToolOwnerRef["kind"]): Fault | undefined {
  if (!isRecord(tool)) return unfit("the tool is not an object");
  const { descriptor } = tool;
  if (!isRecord(descriptor)) return unfit("the tool has no descriptor");
  const { name } = descriptor;
  if (typeof name !== "string" || !isToolName(name)) return unfit(`the name ${show(name)} is not legal: ${NAME_RULE}`);
  const why = faultOfDescriptor(descriptor, kind) ?? faultOfMembers(tool);
  if (why !== undefined) return unfit(`"${name}": ${why}`);
  if (typeof tool["execute"] !== "function")
    return { reason: "missing-executor", message: `"${name}": it has no execute function` };
  const schemaFault = faultOfSchemas(descriptor);
  return schemaFault === undefined ? undefined : unfit(`"${name}": ${schemaFault}`);
}

/** Why a descriptor cannot even be listed, sorted and attributed; undefined when it can. */
export function findListingFault(descriptor: Members, kind: ToolOwnerRef["kind"]): string | undefined {
  if (typeof descriptor["description"] !== "string") return "it has no description";
  for (const key of ["title", "sortKey"]) if (!isOptional(descriptor[key], "string")) return `its ${key} must be text`;
  return faultOfOwner(descriptor["owner"], kind);
}

const NAME_RULE = "letters, digits, _ and -, at most 64, not starting with a digit or -";

function unfit(message: string): Fault {
  return { reason: "schema-unfit", message };
}

function faultOfDescriptor(descriptor: Members, kind: ToolOwnerRef["kind"]): string | undefined {
  const listing = findListingFault(descriptor, kind);
  if (listing !== undefined) return listing;
  const { annotations, executor } = descriptor;
  if (annotations !== undefined && !isRecord(annotations)) return "its annotations must be an object";
  return executor === undefined ? undefined : faultOfExecutor(executor);
}

/** Members that an owner of each kind is told by. An owner without them would be everybody's. */
const OWNER_IDS: ReadonlyMap<unknown, string | undefined> = new Map([
  ["core", undefined],
  ["custom", undefined],
  ["plugin", "pluginId"],
  ["channel", "channelId"],
  ["mcp", "serverId"],
]);

/** Whether an owner can be of this kind at all. */
export function isOwnerKind(kind: unknown): kind is ToolOwnerRef["kind"] {
  return OWNER_IDS.has(kind);
}

function faultOfOwner(owner: unknown, kind: ToolOwnerRef["kind"]): string | undefined {
  if (!isRecord(owner)) return "it has no owner";
  if (owner["kind"] !== kind) return `its owner is ${show(owner["kind"])}, and its source is of kind ${kind}`;
  const id = OWNER_IDS.get(kind);
  return id === undefined || isFilled(owner[id]) ? undefined : `its owner has no ${id}`;
}

const EXECUTOR_IDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["core", ["executorId"]],
  ["custom", ["toolName"]],
  ["plugin", ["pluginId", "toolName"]],
  ["channel", ["channelId", "actionId"]],
  ["mcp", ["serverId", "toolName"]],
]);

function faultOfExecutor(executor: unknown): string | undefined {
  const ids = isRecord(executor) ? EXECUTOR_IDS.get(executor["kind"]) : undefined;
  if (!isRecord(executor) || !ids) return "its executor is of no known kind";
  const missing = ids.find((id) => typeof executor[id] !== "string");
  return missing === undefined ? undefined : `its executor has no ${missing}`;
}

function faultOfMembers(tool: Members): string | undefined {
  for (const key of ["resources", "preview", "revert", AUTHOR_VALIDATE] as const)
    if (!isOptional(tool[key], "function"))
      return `its ${key === AUTHOR_VALIDATE ? "validate" : key} must be a function`;
  for (const key of ["exclusive", "override"])
    if (!isOptional(tool[key], "boolean")) return `its ${key} must be true or false`;
  for (const key of ["timeoutMs", "idleTimeoutMs"]) {
    const value = tool[key];
    if (value !== undefined && !(typeof value === "number" && Number.isFinite(value) && value > 0))
      return `its ${key} must be a positive number of milliseconds`;
  }
  return undefined;
}

function faultOfSchemas({ inputSchema, outputSchema }: Members): string | undefined {
  return (
    faultOfSchema(inputSchema, "input") ??
    (outputSchema === undefined ? undefined : faultOfSchema(outputSchema, "output"))
  );
}

function faultOfSchema(schema: unknown, side: SchemaSide): string | undefined {
  const fault = isRecord(schema) ? knownFaultOf(schema, side) : findSchemaFault(schema, side);
  return (
    fault && `the ${side} schema is not JSON Schema at ${clipText(fault.path, 200) || "its root"}: ${fault.message}`
  );
}

/** Kept by schema: sources make their tools anew more often than their schemas. */
function knownFaultOf(schema: object, side: SchemaSide): SchemaFault | undefined {
  const known = knownFaults[side].get(schema);
  if (known !== undefined) return known || undefined;
  const fault = findSchemaFault(schema, side);
  knownFaults[side].set(schema, fault ?? false);
  return fault;
}

/** False for a schema without a fault. */
const knownFaults = {
  input: new WeakMap<object, SchemaFault | false>(),
  output: new WeakMap<object, SchemaFault | false>(),
};

function isOptional(value: unknown, type: "string" | "boolean" | "function"): boolean {
  return value === undefined || typeof value === type;
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function show(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(clipText(value, 80))
    : `of type ${value === null ? "null" : typeof value}`;
}
