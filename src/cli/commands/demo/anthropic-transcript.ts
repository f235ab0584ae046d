import type { AssistantPart, Message } from "../../../core/tool/message.ts";
import { anthropic } from "../../../providers/anthropic.ts";

/** A message as Anthropic's API takes it, with the blocks that the demo has. */
export interface AnthropicMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly AnthropicBlock[];
}

export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | ReturnType<typeof anthropic.encodeResults>["content"][number];

/** A transcript in Anthropic's shape: each call of an answer has its result in the next message, in call order. */
export function encodeTranscript(messages: readonly Message[]): readonly AnthropicMessage[] {
  return messages.map(encodeMessage);
}

function encodeMessage(message: Message): AnthropicMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.filter((block) => block.type === "text") };
    case "assistant":
      return { role: "assistant", content: message.parts.flatMap(encodePart) };
    case "tool":
      return anthropic.encodeResults(message.results);
  }
}

function encodePart(part: AssistantPart): readonly AnthropicBlock[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type !== "tool-call") return [];
  const { id, name, input } = part.call;
  return [{ type: "tool_use", id, name, input }];
}
