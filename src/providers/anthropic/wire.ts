// The shapes of the Messages API that this codec writes. Mutable, because the parameters of `@anthropic-ai/sdk` are; no
// import of it, so that nobody has to install it.

/** A tool as `messages.create({ tools })` takes it. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; properties?: unknown; required?: string[]; [key: string]: unknown };
}

/** The user message that answers the calls of one assistant message. */
export interface AnthropicResults {
  role: "user";
  content: AnthropicResult[];
}

export interface AnthropicResult {
  type: "tool_result";
  tool_use_id: string;
  is_error: boolean;
  content: AnthropicBlock[];
}

export type AnthropicBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: { type: "base64"; media_type: AnthropicImageType; data: string } };

export type AnthropicImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** An answer of `messages.create`, as far as this codec reads it. */
export interface AnthropicAnswer {
  readonly content: readonly { readonly type: string }[];
  readonly stop_reason?: string | null;
}
