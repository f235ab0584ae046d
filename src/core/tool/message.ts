import type { JsonObject, JsonValue } from "../json.ts";
import type { ToolCall } from "./call.ts";
import type { Content } from "./content.ts";
import type { ToolResult } from "./result.ts";

/** A piece of a model's answer. */
export type AssistantPart =
  | { readonly type: "text" | "reasoning"; readonly text: string; readonly meta?: JsonObject }
  | {
      readonly type: "tool-call";
      readonly call: ToolCall & { readonly id: string };
      readonly providerExecuted?: boolean;
      readonly meta?: JsonObject;
    }
  | { readonly type: "other"; readonly value: JsonValue };

/** A message of a transcript, in no provider's dialect. */
export type Message =
  | { readonly role: "user"; readonly content: readonly Content[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };
