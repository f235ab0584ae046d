import type { JsonObject } from "../json.ts";

/** Who calls. Fixed by the entrance; a nested call has its parent's. */
export interface Caller {
  readonly kind: "model" | "person" | "program";
  readonly id?: string;
  readonly principal?: JsonObject;
}

/** What somebody wants done. */
export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  /** A JSON value, or the raw JSON text as the model wrote it. */
  readonly input?: unknown;
  /** The codec saw the answer cut off; the call must not run. */
  readonly truncated?: boolean;
  /** The provider's own, carried untouched. */
  readonly meta?: JsonObject;
}
