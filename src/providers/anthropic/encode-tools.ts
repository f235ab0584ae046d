import type { ToolDescriptor } from "../../core/tool/descriptor.ts";
import type { AnthropicTool } from "./wire.ts";
import { wireSchemaOf } from "./wire-schema.ts";

/**
 * Descriptors to the `tools` parameter, in their order. The same descriptors give the same bytes, so that a provider's
 * prompt cache holds. Leave the parameter out when the list is empty.
 * Each tool is a fresh object: setting `cache_control` on one stays with that request.
 */
export function encodeTools(tools: readonly ToolDescriptor[]): AnthropicTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description.toWellFormed(),
    input_schema: wireSchemaOf(tool).schema,
  }));
}
