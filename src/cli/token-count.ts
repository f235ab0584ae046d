import { type ToolDescriptor, toToolProtocolDescriptor } from "../core/tool/descriptor.ts";

/** What a definition costs a model, estimated: a token for every four bytes of what is sent. */
export function countTokens(descriptor: ToolDescriptor): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(toToolProtocolDescriptor(descriptor))) / 4);
}

/** `~940 tokens`, `~1.9k tokens`. */
export function formatTokens(tokens: number): string {
  return tokens < 1000 ? `~${tokens} tokens` : `~${(tokens / 1000).toFixed(1)}k tokens`;
}
