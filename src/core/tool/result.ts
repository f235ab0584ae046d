import type { JsonObject, JsonValue } from "../json.ts";
import type { Content } from "./content.ts";

/** How a call ended. `interrupted`: it had started and its executor was lost, so it may have run. */
export type Outcome =
  | "ok"
  | "error"
  | "invalid-input"
  | "unknown-tool"
  | "unavailable"
  | "denied"
  | "blocked"
  | "rejected"
  | "cancelled"
  | "timed-out"
  | "truncated"
  | "interrupted";

const OUTCOMES: ReadonlySet<unknown> = new Set<Outcome>([
  "ok",
  "error",
  "invalid-input",
  "unknown-tool",
  "unavailable",
  "denied",
  "blocked",
  "rejected",
  "cancelled",
  "timed-out",
  "truncated",
  "interrupted",
]);

export function isOutcome(value: unknown): value is Outcome {
  return OUTCOMES.has(value);
}

/** One value that was read as the type its schema wants. `from` and `to` are clipped JSON. */
export interface Coercion {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** For programs and people. Never reaches a model. */
export interface ResultDetails {
  readonly coercions?: readonly Coercion[];
  readonly repairs?: readonly string[];
  readonly approval?: "person" | "expired" | "no-approver" | "mismatch";
  readonly answeredBy?: string;
  readonly spill?: { readonly id: string; readonly bytes: number };
  readonly notes?: readonly string[];
  readonly durationMs?: number;
}

/** The one answer to a call. Frozen; `isError` is false for `ok` alone; content is never empty. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly outcome: Outcome;
  readonly isError: boolean;
  readonly content: readonly Content[];
  readonly structuredContent?: JsonValue;
  readonly details?: ResultDetails;
}

/** What a call holds while it runs; two keys conflict when they are equal and one of them writes. */
export interface ResourceKey {
  readonly key: string;
  readonly mode: "read" | "write";
}

/** A finished call, as `revert` receives it. */
export interface CallRecord {
  readonly callId: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly result: ToolResult;
  readonly at: string;
}
