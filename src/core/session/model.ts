import type { JsonObject, JsonValue } from "../json.ts";
import type { ToolCall } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { Message } from "../tool/message.ts";

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
}

/** A piece of a model's streamed answer. Unknown parts pass as `other`. */
export type ModelPart =
  | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string; readonly meta?: JsonObject }
  | { readonly type: "tool-input-started"; readonly callId: string; readonly name: string }
  | { readonly type: "tool-input-delta"; readonly callId: string; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly call: ToolCall;
      /** The provider ran it itself: recorded, never dispatched. */
      readonly providerExecuted?: boolean;
      readonly meta?: JsonObject;
    }
  | {
      readonly type: "finish";
      /** `length` makes the answer's calls `truncated`. */
      readonly reason: "stop" | "tool-calls" | "length" | "content-filter" | "error" | "other";
      readonly usage?: Usage;
    }
  | { readonly type: "other"; readonly value: JsonValue };

/** What a provider demands of a transcript, as data. */
export interface TranscriptRules {
  readonly resultsRightAfterCalls: boolean;
  readonly idPattern?: string;
  readonly imageTypes: readonly string[];
  readonly emptyText: boolean;
}

export type ToolChoice = "auto" | "none" | "required" | { readonly name: string };

export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescriptor[];
  readonly toolChoice?: ToolChoice;
  readonly signal: AbortSignal;
}

/** Messages and tools in, one streamed answer out. A throw is stop `model-error`. */
export interface Model {
  readonly rules: TranscriptRules;
  turn(request: ModelRequest): AsyncIterable<ModelPart>;
}
