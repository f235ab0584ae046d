import { freezeJson, type JsonObject } from "../core/json.ts";
import type { ToolAnnotations } from "../core/tool/descriptor.ts";
import type { ResourceKey } from "../core/tool/result.ts";
import type { AgentTool, ToolContext } from "../core/tool/tool.ts";

/** What a built-in tool consists of. */
export interface CoreToolParts<I> {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly timeoutMs?: number;
  resources(input: I): readonly ResourceKey[];
  execute(input: I, context: ToolContext): unknown;
}

/** A tool of owner core with a frozen descriptor. Its input takes no field that is not described. */
export function coreTool<I>(parts: CoreToolParts<I>): AgentTool<I, I> {
  const { name, description, properties, required, annotations, timeoutMs } = parts;
  const descriptor = freezeJson({
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    owner: { kind: "core" as const },
    executor: { kind: "core" as const, executorId: name },
    annotations,
  });
  return Object.freeze({
    descriptor,
    execute: (input: I, context: ToolContext) => parts.execute(input, context),
    resources: (input: I) => parts.resources(input),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

/** The hints of a tool that only looks at files. */
export const LOOKS_ONLY: ToolAnnotations = Object.freeze({ readOnlyHint: true, openWorldHint: false });
