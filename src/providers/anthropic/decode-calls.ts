import { isRecord } from "../../core/json.ts";
import type { ToolCall } from "../../core/tool/call.ts";
import type { ToolDescriptor } from "../../core/tool/descriptor.ts";
import type { AnthropicAnswer } from "./wire.ts";
import { wireSchemaOf } from "./wire-schema.ts";

/**
 * The calls of one answer, in its order: every `tool_use` block. What the provider runs itself (`server_tool_use`,
 * `mcp_tool_use`) is none. Pass the tools that the request was made with.
 * Never throws for an answer that is JSON: a malformed block becomes a call that dispatch answers.
 */
export function decodeCalls(answer: AnthropicAnswer, tools: readonly ToolDescriptor[]): readonly ToolCall[] {
  // An answer comes from outside, whatever its type says.
  const { content, stop_reason: stopReason } = isRecord(answer) ? (answer as Readonly<Record<string, unknown>>) : {};
  if (!Array.isArray(content)) return [];
  const isTruncated = CUT_OFF.has(stopReason);
  return content.filter(isToolUse).map((block) => decodeCall(block, { tools, isTruncated }));
}

/**
 * Stop reasons that may leave a call half written. `pause_turn` is none: it pauses the provider's own tools, and the
 * calls beside them are whole. https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons
 */
const CUT_OFF: ReadonlySet<unknown> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
  "stop_sequence",
]);

type Block = Readonly<Record<string, unknown>>;

function isToolUse(block: unknown): block is Block {
  return isRecord(block) && block["type"] === "tool_use";
}

function decodeCall(
  { id, name: rawName, input }: Block,
  { tools, isTruncated }: { readonly tools: readonly ToolDescriptor[]; readonly isTruncated: boolean },
): ToolCall {
  const name = typeof rawName === "string" ? rawName : (JSON.stringify(rawName) ?? "");
  const tool = tools.find((each) => each.name === name);
  return {
    ...(typeof id === "string" && id !== "" ? { id } : {}),
    name,
    input: tool ? restoreNames(input, tool) : input,
    ...(isTruncated ? { truncated: true } : {}),
  };
}

/** The input under the author's property names. */
function restoreNames(input: unknown, tool: ToolDescriptor): unknown {
  const { originalNames } = wireSchemaOf(tool);
  if (!originalNames || !isRecord(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [originalNames.get(name) ?? name, value]));
}
