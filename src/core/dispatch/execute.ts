import { isPromiseLike } from "../json.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { CallContext } from "./call-context.ts";
import type { CallRun } from "./call-run.ts";
import { readContent } from "../tool/read-content.ts";
import { recordLate } from "./record.ts";
import { giveUpKeys, settleInBatch } from "./wait-for-keys.ts";

/** Runs the tool, the only step that does. A hook's `result` stands in for it. */
export function execute(run: CallRun): void | Promise<void> {
  if (run.replacement) {
    run.raw = { kind: "value", value: run.replacement.value };
    return undefined;
  }
  run.outerHook?.hold?.giveBackWhileIdle();
  const context = new CallContext(run);
  const ms = startDeadline(run);
  try {
    const returned = run.tool.execute(run.executeInput as never, context);
    if (isPromiseLike(returned)) return waitForExecutor(run, context, { work: returned, ms });
    run.raw = { kind: "value", value: returned };
  } catch (error) {
    run.raw = { kind: "throw", error };
  }
  context.settle();
  return undefined;
}

/** The time that this executor has, in milliseconds. */
function startDeadline(run: CallRun): number {
  const own = run.tool.timeoutMs ?? run.services.limits.toolMs;
  const ms = run.options.timeoutMs === undefined ? own : Math.min(own, run.options.timeoutMs);
  run.deadline = (run.hasWaited ? run.clock.now() : run.startedAt) + ms;
  return ms;
}

/** What is in flight between an executor's start and its answer. */
interface Flight {
  readonly work: PromiseLike<unknown>;
  readonly ms: number;
}

/** Waits for the executor, its deadline, its silence or an abort: whichever comes first answers. */
function waitForExecutor(run: CallRun, context: CallContext, { work, ms }: Flight): Promise<void> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const stopClocks = startClocks(run, ms);
    const answer = (): void => {
      isAnswered = true;
      stopClocks();
      run.onInterrupt(undefined);
      context.settle();
      resolve();
    };
    run.onInterrupt((why) => {
      // What settles before the event loop turns wins over the abort.
      afterThisTurn(() => {
        if (isAnswered) return;
        answerInterrupted(run, why, ms);
        answer();
        becomeLate(run);
      });
    });
    const settled = (raw: NonNullable<CallRun["raw"]>): void => {
      if (isAnswered) {
        settleLate(run, raw);
        return;
      }
      if (raw.kind === "throw" && isAbortRejection(run, raw.error)) answerInterrupted(run, whyOf(run), ms);
      else run.raw = raw;
      answer();
    };
    // A thenable's `then` may throw or answer twice; a promise of ours does neither.
    Promise.resolve(work).then(
      (value) => settled({ kind: "value", value }),
      (error: unknown) => settled({ kind: "throw", error }),
    );
  });
}

/** Arms the deadline and, where the tool has one, the idle limit. Returns what disarms them. */
function startClocks(run: CallRun, ms: number): () => void {
  const cancelDeadline = run.clock.after(ms, () => run.interrupt("timed-out", `The call took longer than ${ms} ms.`));
  const idleMs = run.tool.idleTimeoutMs;
  if (idleMs === undefined) return cancelDeadline;
  let cancelIdle = armIdle(run, idleMs);
  run.onProgress = () => {
    cancelIdle();
    cancelIdle = armIdle(run, idleMs);
  };
  return () => {
    cancelDeadline();
    cancelIdle();
    run.onProgress = undefined;
  };
}

function armIdle(run: CallRun, idleMs: number): () => void {
  return run.clock.after(idleMs, () => run.interrupt("timed-out", `No progress for ${idleMs} ms.`));
}

function whyOf(run: CallRun): "cancelled" | "timed-out" {
  return run.cancelReason === undefined ? "timed-out" : "cancelled";
}

/** An executor that rejects because its signal was aborted has obeyed; that is the abort's outcome and no error. */
function isAbortRejection(run: CallRun, error: unknown): boolean {
  if (run.abortReason === undefined) return false;
  if (error === run.abortReason) return true;
  try {
    const name = error instanceof Error ? error.name : "";
    return name === "AbortError" || name === "TimeoutError";
  } catch {
    return false;
  }
}

/** The answer of an abort or a deadline: what the executor last reported, and what happened. */
function answerInterrupted(run: CallRun, why: "cancelled" | "timed-out", ms: number): void {
  const said = messageOf(run.abortReason);
  const text =
    why === "cancelled"
      ? `"${run.name}" was cancelled while it ran (${said}). It may have done a part of its work.`
      : `"${run.name}" did not finish within ${ms} ms (${said}) and was told to stop. It may have done a part of its work.`;
  run.refuse(why, text);
  const { lastProgress } = run;
  const reported =
    lastProgress?.content ??
    (lastProgress?.message === undefined ? [] : [{ type: "text", text: lastProgress.message }]);
  if (Array.isArray(reported)) run.content = [...(reported as readonly unknown[]).map(readContent), ...run.content];
}

/** Its call is answered and it goes on: its keys stay held until it settles or its grace is over. */
function becomeLate(run: CallRun): void {
  run.dispatcher.addLate(run);
  run.clock.after(run.services.limits.graceMs, () => {
    if (run.dispatcher.late.has(run)) run.services.resources.giveUp(run);
    settleInBatch(run);
  });
}

function settleLate(run: CallRun, raw: NonNullable<CallRun["raw"]>): void {
  run.dispatcher.removeLate(run);
  giveUpKeys(run);
  settleInBatch(run);
  recordLate(run, raw.kind === "value" ? { value: raw.value } : { error: messageOf(raw.error) });
}

/** Taken once, so that a host which replaces its timers later does not hold up aborts. */
const immediate: (run: () => void) => void =
  typeof setImmediate === "function" ? setImmediate : (run) => void setTimeout(run, 0);

function afterThisTurn(run: () => void): void {
  immediate(run);
}
