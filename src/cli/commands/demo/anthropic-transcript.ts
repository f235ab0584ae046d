import type { JsonObject, JsonValue } from "../../../core/json.ts";
import type { AssistantPart, Message } from "../../../core/tool/message.ts";
import { anthropic } from "../../../providers/anthropic.ts";

/** A message as Anthropic's API takes it. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
}

/** A transcript in Anthropic's shape: each call of an answer has its result in the next message, in call order. */
export function encodeTranscript(messages: readonly Message[]): readonly AnthropicMessage[] {
  return messages.map(encodeMessage);
}

function encodeMessage(message: Message): AnthropicMessage {
  switch (message.role) {
    case "user":
      return {
        role: "user",
        content: message.content.flatMap((block) => (block.type === "text" ? [{ ...block }] : [])),
      };
    case "assistant":
      return { role: "assistant", content: message.parts.flatMap(encodePart) };
    case "tool": {
      const { role, content } = anthropic.encodeResults(message.results);
      return {
        role,
        content: content.map((block) => ({ ...block, content: block.content.map((each) => ({ ...each })) })),
      };
    }
  }
}

function encodePart(part: AssistantPart): readonly JsonObject[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool-call") return [];
  const { id, name, input } = part.call;
  return [{ type: "tool_use", id, name, input: input as JsonValue }]; // the script's own JSON
}
