import { afterThisTurn } from "../clock.ts";
import { isPromiseLike } from "../json.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { CallContext } from "./call-context.ts";
import type { CallRun, Interruptible } from "./call-run.ts";
import { recordLate } from "./record.ts";
import type { Waiting } from "./step.ts";
import { giveUpKeys, settleInBatch } from "./wait-for-keys.ts";

/** Runs the tool, the only step that does. A hook's `result` stands in for it. */
export function execute(run: CallRun): void | Waiting {
  if (run.replacement) {
    run.raw = { kind: "value", value: run.replacement.value };
    return undefined;
  }
  run.outerHook?.hold?.giveBackWhileIdle();
  const context = new CallContext(run);
  const ms = startDeadline(run);
  try {
    const returned = run.tool.execute(run.executeInput as never, context);
    if (isPromiseLike(returned)) return new Flight(run, context, ms).watch(returned);
    run.raw = { kind: "value", value: returned };
  } catch (error) {
    run.raw = { kind: "throw", error };
  }
  context.settle();
  return undefined;
}

/** The time that this executor has, in milliseconds. A limit of the call's that is no time is none. */
function startDeadline(run: CallRun): number {
  const own = run.tool.timeoutMs ?? run.services.limits.toolMs;
  const given = run.options.timeoutMs;
  const ms = given !== undefined && given < own ? given : own;
  run.deadline = (run.hasWaited ? run.clock.now() : run.startedAt) + ms;
  return ms;
}

/** An executor between its start and its end. It is answered once; if that was an interruption, it goes on and is late. */
class Flight implements Interruptible, Waiting {
  readonly #run: CallRun;
  readonly #context: CallContext;
  readonly #ms: number;
  readonly #cancelDeadline: () => void;
  #cancelIdle: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  #isAnswered = false;
  #goOn: (() => void) | undefined;

  constructor(run: CallRun, context: CallContext, ms: number) {
    this.#run = run;
    this.#context = context;
    this.#ms = ms;
    this.#cancelDeadline = run.clock.after(ms, () => run.interrupt("timed-out", `The call took longer than ${ms} ms.`));
    if (run.tool.idleTimeoutMs !== undefined) this.#watchProgress(run.tool.idleTimeoutMs);
    run.onInterrupt(this);
    // It may have aborted its own call before it had anything to wait for.
    if (run.abortReason !== undefined) this.interrupt(whyOf(run));
  }

  /** Waits for the executor, its deadline, its silence or an abort: whichever comes first answers. */
  watch(work: PromiseLike<unknown>): this {
    // A thenable's `then` may throw or answer twice; a promise of ours does neither.
    Promise.resolve(work).then(
      (value) => this.#land({ kind: "value", value }),
      (error: unknown) => this.#land({ kind: "throw", error }),
    );
    return this;
  }

  // The pipeline's one wait, always answered later than it is asked for: a promise more would be the dearest part of a call.
  // eslint-disable-next-line unicorn/no-thenable
  then(goOn: () => void): void {
    this.#goOn = goOn;
  }

  /** The executor has settled. */
  #land(raw: NonNullable<CallRun["raw"]>): void {
    const run = this.#run;
    if (this.#isAnswered) {
      this.#cancelGrace?.();
      settleLate(run, raw);
      return;
    }
    if (raw.kind === "throw" && isAbortRejection(run, raw.error)) answerInterrupted(run, whyOf(run), this.#ms);
    else run.raw = raw;
    this.#answer();
  }

  /** What settles before the event loop turns wins over the abort. */
  interrupt(why: "cancelled" | "timed-out"): void {
    afterThisTurn(() => {
      if (this.#isAnswered) return;
      answerInterrupted(this.#run, why, this.#ms);
      this.#cancelGrace = becomeLate(this.#run);
      this.#answer();
    });
  }

  #answer(): void {
    this.#isAnswered = true;
    this.#cancelDeadline();
    this.#cancelIdle?.();
    this.#run.onProgress = undefined;
    this.#run.onInterrupt(undefined);
    this.#context.settle();
    this.#goOn?.();
  }

  #watchProgress(idleMs: number): void {
    this.#run.onProgress = () => {
      this.#cancelIdle?.();
      this.#cancelIdle = this.#armIdle(idleMs);
    };
    this.#cancelIdle = this.#armIdle(idleMs);
  }

  #armIdle(idleMs: number): () => void {
    return this.#run.clock.after(idleMs, () => this.#run.interrupt("timed-out", `No progress for ${idleMs} ms.`));
  }
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
  run.end(why, text);
  const { content, message } = run.lastProgress ?? {};
  if (content) run.content = [...content, ...run.content];
  else if (message !== undefined) run.content = [{ type: "text", text: message }, ...run.content];
}

/** Its call is answered and it goes on: its keys stay held until it settles or its grace is over. Returns the end of that wait. */
function becomeLate(run: CallRun): () => void {
  run.dispatcher.addLate(run);
  return run.clock.after(run.services.limits.graceMs, () => {
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
