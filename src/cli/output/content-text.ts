import type { Content } from "../../core/tool/content.ts";
import type { ToolResult } from "../../core/tool/result.ts";

/** A result as text: its text blocks, and a line in brackets for each block that is none. */
export function contentText({ content }: Pick<ToolResult, "content">): string {
  return content.map(describeBlock).join("\n");
}

function describeBlock(block: Content): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
    case "file":
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case "resource_link":
      return `[resource ${block.name} ${block.uri}]`;
    case "unknown":
      return JSON.stringify(block.value);
  }
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, "base64");
}
