// The door "toolmap/providers": the wire dialects of model providers.

export { anthropic } from "./anthropic.ts";
export type {
  AnthropicAnswer,
  AnthropicBlock,
  AnthropicImageType,
  AnthropicResult,
  AnthropicResults,
  AnthropicTool,
} from "./anthropic/wire.ts";
