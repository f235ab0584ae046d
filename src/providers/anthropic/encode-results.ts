import type { ToolResult } from "../../core/tool/result.ts";
import { encodeContent } from "./encode-content.ts";
import type { AnthropicBlock, AnthropicResult, AnthropicResults } from "./wire.ts";

/**
 * Results to the one user message that must follow the calls: in order, one block each, never empty. `details` stay
 * here. Text of your own for the same message goes after these blocks.
 */
export function encodeResults(results: readonly ToolResult[]): AnthropicResults {
  return { role: "user", content: results.map(encodeResult) };
}

function encodeResult(result: ToolResult): AnthropicResult {
  return {
    type: "tool_result",
    tool_use_id: wireId(result.callId),
    is_error: result.isError,
    content: encodeBlocks(result),
  };
}

/** A repeated id is renamed `<id>#2` here; the provider knows the call by the id it gave, which never holds a `#`. */
function wireId(callId: string): string {
  return callId.replace(/#\d+$/, "").toWellFormed();
}

function encodeBlocks({ content, isError, structuredContent }: ToolResult): AnthropicBlock[] {
  // The API refuses an error whose blocks are not all text.
  const blocks = content.map((block) => encodeContent(block, { imagesAllowed: !isError })).filter(isVisible);
  const hasText = content.some((block) => block.type === "text" && isVisible(block));
  if (!hasText && structuredContent !== undefined) blocks.push(text(JSON.stringify(structuredContent)));
  return blocks.length > 0 ? blocks : [text("(no output)")];
}

/** The API refuses text blocks without a visible character. */
function isVisible(block: { readonly type: string; readonly text?: string }): boolean {
  return block.type !== "text" || (block.text ?? "").trim() !== "";
}

function text(value: string): AnthropicBlock {
  return { type: "text", text: value.toWellFormed() };
}
