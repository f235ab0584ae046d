import type { JsonObject } from "../json.ts";

/** A block of a result. MCP's shapes and tags, bytes as base64; `file` and `unknown` are ours. */
export type Content = { readonly annotations?: JsonObject; readonly _meta?: JsonObject } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | { readonly type: "file"; readonly data: string; readonly mimeType: string; readonly name?: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string; readonly mimeType?: string } & (
        | { readonly text: string }
        | { readonly blob: string }
      );
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType?: string;
      readonly description?: string;
    }
  | { readonly type: "unknown"; readonly value: JsonObject }
);
