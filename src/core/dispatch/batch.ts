import type { Caller, ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import { BatchOrder } from "./batch-order.ts";
import type { CallBook, CallRun, Refusal, StartOptions } from "./call-run.ts";
import type { TurnScope } from "./dispatch-services.ts";
import type { GivenCall } from "./read-call.ts";

export interface BatchOptions {
  readonly caller: Caller;
  readonly scope: TurnScope;
  readonly signal?: AbortSignal | undefined;
  readonly isOnRecord?: boolean | undefined;
  /** Every call of the batch ends with this. */
  readonly refusal?: Refusal | undefined;
}

/** The calls of one answer, with their final ids. Nothing has run yet. */
export interface Batch {
  readonly ids: readonly string[];
  /** All that do not conflict overlap; the results come in call order, one each. Never rejects. */
  run(): Promise<readonly ToolResult[]>;
  /** Cancels those that are not answered yet. */
  readonly cancel: (reason: string) => void;
}

export function openBatch(
  dispatcher: CallBook,
  calls: readonly (ToolCall | GivenCall)[],
  { caller, scope, signal, refusal, isOnRecord }: BatchOptions,
): Batch {
  const order = calls.length > 1 ? new BatchOrder(calls.length) : undefined;
  // One object for all of them: a turn may have hundreds of calls.
  const options: StartOptions = { caller, scope, refusal, isOnRecord, batch: order };
  const runs = calls.map((call, place) => {
    const run = dispatcher.open(call, options);
    run.place = place;
    return run;
  });
  return {
    ids: runs.map(({ callId }) => callId),
    cancel: (reason) => {
      for (const run of runs) run.cancel(reason);
    },
    run: async () => {
      const stopListening = cancelOnAbort(runs, signal);
      // Started in call order; each goes on by itself up to its first wait.
      const results = await Promise.all(runs.map((run) => dispatcher.run(run)));
      stopListening?.();
      return Object.freeze(results);
    },
  };
}

/** One listener for all of them. Returns its removal. */
export function cancelOnAbort(runs: readonly CallRun[], signal: AbortSignal | undefined): (() => void) | undefined {
  if (!signal) return undefined;
  const cancel = (): void => {
    for (const run of runs) run.cancel("the caller aborted it");
  };
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  return () => signal.removeEventListener("abort", cancel);
}
