import type { JsonObject } from "../json.ts";
import type { Availability } from "./availability.ts";
import type { ToolExecutorRef, ToolOwnerRef } from "./owner.ts";

/** MCP's behaviour hints. Those that tighten count from everyone, those that loosen only from trusted owners. */
export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** What a tool is, as data: all that a planner, a policy and a model may see. */
export interface ToolDescriptor {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly owner: ToolOwnerRef;
  readonly executor?: ToolExecutorRef | undefined;
  readonly availability?: Availability | undefined;
  readonly annotations?: ToolAnnotations;
  /** Sorts in place of the name. */
  readonly sortKey?: string;
  /** What we do not know, kept: icons, `_meta`. */
  readonly meta?: JsonObject;
}

/** The three fields that every provider takes. */
export interface ToolProtocolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** Keeps exactly name, description and input schema. */
export function toToolProtocolDescriptor({ name, description, inputSchema }: ToolDescriptor): ToolProtocolDescriptor {
  return { name, description, inputSchema };
}
