import type { ToolResult } from "../tool/result.ts";
import type { SessionEvent } from "./event.ts";
import type { Usage } from "./model.ts";

/** Why a run ended. `end`: the model was done. */
export type Stop = "end" | "turns" | "time" | "tokens" | "loop" | "cancelled" | "model-error";

export interface RunResult {
  readonly text: string;
  readonly results: readonly ToolResult[];
  readonly usage: Usage;
  readonly stop: Stop;
  readonly error?: { readonly message: string };
}

/** A prompt under way: awaitable and iterable. Keeps no event nobody reads; never rejects. */
export interface Run extends PromiseLike<RunResult>, AsyncIterable<SessionEvent> {}
