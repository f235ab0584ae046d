import { type Batch, openBatch } from "../dispatch/batch.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { TurnScope } from "../dispatch/dispatch-services.ts";
import { type GivenCall, readCall } from "../dispatch/read-call.ts";
import { type LoopGuard, NOTICE_AT, STOP_AT } from "../dispatch/loop-guard.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolResult } from "../tool/result.ts";

/** One model request's tools and the calls of its answer. Definitions and names are pinned, permission is not. */
export interface PinnedTurn {
  readonly number: number;
  readonly tools: readonly ToolDescriptor[];
  readonly scope: TurnScope;
}

export interface TurnOptions {
  readonly dispatcher: Dispatcher;
  readonly guard: LoopGuard;
  readonly caller: Caller;
  readonly signal?: AbortSignal | undefined;
  readonly isOnRecord?: boolean | undefined;
  /** Told when the guard says something. */
  notice(message: string): void;
  /** Told what is added to a result after its call was recorded. */
  noted(callId: string, text: string): void;
}

export interface TurnBatch {
  readonly ids: Batch["ids"];
  run(): Promise<{ readonly results: readonly ToolResult[]; readonly isLoop: boolean }>;
  cancel: Batch["cancel"];
}

/** Opens the calls of an answer behind the loop guard: their ids are final, nothing has run. */
export function openTurnBatch(
  turn: PinnedTurn,
  given: readonly (ToolCall | GivenCall)[],
  options: TurnOptions,
): TurnBatch {
  const calls = given.map(readCall);
  const { dispatcher, guard, caller, signal, isOnRecord } = options;
  const isLoop = guard.wouldStop(calls);
  const refusal = isLoop ? ({ outcome: "blocked", text: STOPPED } as const) : undefined;
  if (isLoop) options.notice(STOPPED);
  const batch = openBatch(dispatcher, calls, { caller, scope: turn.scope, signal, refusal, isOnRecord });
  return {
    ids: batch.ids,
    cancel: batch.cancel,
    run: async () => {
      const results = await batch.run();
      if (isLoop) return { results, isLoop };
      const repeats = guard.add({ calls, results });
      if (repeats < NOTICE_AT) return { results, isLoop };
      const message = `The same calls have now given the same results ${repeats} times. Do something else, or say what is in the way; at the ${STOP_AT}th time they are refused.`;
      options.notice(message);
      const last = results.at(-1);
      if (last) options.noted(last.callId, message);
      return { results: appendNotice(results, message), isLoop };
    },
  };
}

const STOPPED = `The same calls gave the same results ${STOP_AT - 1} times in a row, so they were not run again. Do something else.`;

/** The model has to see it, so it goes into the last result. */
function appendNotice(results: readonly ToolResult[], message: string): readonly ToolResult[] {
  return Object.freeze(
    results.map((result, at) => {
      if (at !== results.length - 1) return result;
      const note = Object.freeze({ type: "text" as const, text: `[note] ${message}` });
      const details = Object.freeze({ ...result.details, notes: [...(result.details?.notes ?? []), message] });
      return Object.freeze({ ...result, content: Object.freeze([...result.content, note]), details });
    }),
  );
}
