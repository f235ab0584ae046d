import type { Clock } from "../clock.ts";
import type { HookEvent, HookState } from "../hooks/hook.ts";
import type { HookHost, HookTurn } from "../hooks/hook-turn.ts";
import type { Waited } from "../hooks/waited.ts";
import type { WriteLock } from "../hooks/write-lock.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { PolicyDecision } from "../policy/policy.ts";
import type { ViewEntry } from "../policy/view.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { Coercion, Outcome, ResourceKey, ResultDetails, ToolResult } from "../tool/result.ts";
import type { ProgressUpdate } from "../tool/tool.ts";
import type { ApprovalAnswer, Prepared } from "./approval.ts";
import type { BatchOrder } from "./batch-order.ts";
import type { CallEvent } from "./call-event.ts";
import type { DispatchServices, TurnScope } from "./dispatch-services.ts";
import type { TraceStep } from "./explanation.ts";
import type { FinishedCall } from "./finished-calls.ts";
import type { Link } from "./linked-list.ts";
import { describeInterrupted } from "./describe-interrupted.ts";
import type { GivenCall } from "./read-call.ts";
import type { ResourceHold } from "./resource-table.ts";

/** Where a call comes from and what it may count on. */
export interface StartOptions {
  readonly caller: Caller;
  readonly scope: TurnScope;
  readonly parent?: CallRun | undefined;
  readonly outerHook?: HookTurn | undefined;
  readonly timeoutMs?: number | undefined;
  readonly once?: boolean | undefined;
  /** A call of the record that is dispatched again: its id stays, and so does its idempotency key. */
  readonly isOnRecord?: boolean | undefined;
  readonly approval?: (ApprovalAnswer & { readonly prepared: Prepared }) | undefined;
  readonly batch?: BatchOrder | undefined;
  /** Decided by whoever knows more than the pipeline: the loop guard, a tool that was bound to another definition. */
  readonly refusal?: Refusal | undefined;
}

/** An end that was decided before the call began. */
export interface Refusal {
  readonly outcome: "blocked" | "unavailable";
  readonly text: string;
}

/** Who keeps the calls of a session: which are open, late or ended. */
export interface CallBook {
  readonly services: DispatchServices;
  readonly late: ReadonlySet<CallRun>;
  /** Makes a call's run and counts it as open. */
  open(call: ToolCall | GivenCall, options: StartOptions): CallRun;
  /** Takes an open run to its result. */
  run(run: CallRun): Promise<ToolResult>;
  /** The run has its result. */
  finish(run: CallRun, result: ToolResult): void;
  /** The run is given up without a result: it was only prepared or explained. */
  forget(run: CallRun): void;
  finishedCall(id: string): FinishedCall | undefined;
  /** Whether a process that is gone had started this call, and nobody knows how it ended. */
  mayHaveRun(callId: string): boolean;
  addLate(run: CallRun): void;
  removeLate(run: CallRun): void;
}

/** What the execute step produced: a value of any kind, or a throw. */
export type Raw =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "throw"; readonly error: unknown };

/** Whatever a call waits for, as far as an abort or a deadline must reach it. */
export interface Interruptible {
  interrupt(why: "cancelled" | "timed-out"): void;
}

/** A call that a trace is kept of and whose hooks are listed instead of run. */
export type Trace = TraceStep[];

/**
 * One call on its way through the pipeline: what it was given, what the steps have found, and the draft of its result.
 * The steps write it; nothing else does.
 */
export class CallRun implements HookHost, ResourceHold {
  readonly dispatcher: CallBook;
  readonly services: DispatchServices;
  /** Its place among the open calls. */
  openLink: Link<CallRun> | undefined = undefined;
  /** Its place among those who hold resources. */
  holdLink: Link<ResourceHold> | undefined = undefined;
  readonly callId: string;
  readonly call: GivenCall;
  readonly options: StartOptions;
  readonly scope: TurnScope;
  readonly caller: Caller;
  readonly parent: CallRun | undefined;
  readonly outerHook: HookTurn | undefined;
  readonly startedAt: number;
  /** Its place in its batch, which the batch sets. */
  place = 0;

  /** As called, until look-up has found the tool; then the tool's own. */
  name: string;
  entry: ViewEntry | undefined = undefined;
  input: JsonObject | undefined = undefined;
  /** The checked input before any hook changed it. */
  originalInput: JsonObject | undefined = undefined;
  /** What `execute` receives: the input, or the value of the author's own validation. */
  executeInput: unknown = undefined;
  decision: PolicyDecision | undefined = undefined;
  hookAsks: string[] | undefined = undefined;
  /** A before-hook's `result`, in place of the execute step. */
  replacement: { readonly value: unknown } | undefined = undefined;
  keys: readonly ResourceKey[] = NO_KEYS;
  exclusive = false;
  holdsResources = false;
  /** The digest that an approval was given for. */
  approvedDigest: string | undefined = undefined;
  hasAskedAgain = false;
  /** The preparation that this call goes on from: its hooks have run. */
  prepared: Extract<Prepared, { readonly verdict: "allow" | "ask" }> | undefined = undefined;
  /** It goes up to the approval and no further: it has started only if it turns out to be over. */
  isPreparation = false;
  /** A step had to wait, so the time has changed since the start. */
  hasWaited = false;
  trace: Trace | undefined = undefined;
  /** The event of hooks, while the input stays. */
  hookEvent: HookEvent | undefined = undefined;

  /** The executor has settled, or its call was answered without it. */
  hasExecuted = false;
  /** Settles the promise of the call. */
  answer: ((result: ToolResult) => void) | undefined = undefined;
  raw: Raw | undefined = undefined;
  outcome: Outcome | undefined = undefined;
  content: readonly Content[] = NO_CONTENT;
  frozenContent: readonly Content[] | undefined = undefined;
  structuredContent: JsonValue | undefined = undefined;
  /** The one finished call that `once` answers with. */
  recorded: ToolResult | undefined = undefined;
  coercions: Coercion[] | undefined = undefined;
  repairs: string[] | undefined = undefined;
  approval: ResultDetails["approval"] = undefined;
  answeredBy: string | undefined = undefined;
  spilled: ResultDetails["spill"] = undefined;
  notes: string[] | undefined = undefined;
  /** Values by name, to be masked in everything that leaves. */
  secrets: Map<string, string> | undefined = undefined;
  /** Nobody knows whether the record of the intent was written. */
  isIntentOpen = false;
  /** The intent was refused, so that nothing of the call is on record. */
  isUnrecorded = false;
  lastProgress: ProgressUpdate | undefined = undefined;
  /** While an executor has an idle limit: it is alive. */
  onProgress: (() => void) | undefined = undefined;

  cancelReason: string | undefined = undefined;
  #interruptible: Interruptible | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #abortReason: unknown = undefined;
  #nested: Set<CallRun> | undefined = undefined;

  constructor(dispatcher: CallBook, call: GivenCall, options: StartOptions, callId: string) {
    this.dispatcher = dispatcher;
    this.services = dispatcher.services;
    this.callId = callId;
    this.call = call;
    this.options = options;
    this.scope = options.scope;
    this.caller = options.caller;
    this.parent = options.parent;
    this.outerHook = options.outerHook;
    this.name = call.name;
    this.startedAt = dispatcher.services.clock.now();
  }

  /** The found tool. Only steps after look-up read it. */
  get tool(): ViewEntry["tool"] {
    return this.found.tool;
  }

  get found(): ViewEntry {
    if (!this.entry) throw new Error("look-up has not found a tool");
    return this.entry;
  }

  /** The checked input. Only steps after the check read it. */
  get checkedInput(): JsonObject {
    if (!this.input) throw new Error("the input is not checked yet");
    return this.input;
  }

  // ---------------------------------------------------------------- the answer

  /** Whether the answer is settled and nothing before the finishing steps may run. */
  get isOver(): boolean {
    return this.outcome !== undefined;
  }

  /**
   * Ends the call before or without its effect. The first answer stays. A call that a process before this one had started
   * may have had its effect then, and that is what has to be told.
   */
  refuse(outcome: Outcome, text: string): void {
    if (this.outcome !== undefined) return;
    if (!this.dispatcher.mayHaveRun(this.callId)) this.end(outcome, text);
    else this.end("interrupted", `${describeInterrupted(this.name)} It was not run again: ${text}`);
  }

  /** Ends the call, whatever it has done. The first answer stays. */
  end(outcome: Outcome, text: string): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    this.content = [{ type: "text", text }];
  }

  note(text: string): void {
    this.notes ??= [];
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  emit(event: CallEvent): void {
    this.services.emitter()?.(event, this.callId, this.scope.turn);
  }

  // ---------------------------------------------------------------- waiting and being cancelled

  /** Waits no longer than until the call is cancelled or `ms` have passed. One wait at a time. */
  waitFor<T>(work: PromiseLike<T>, ms: number): Promise<Waited<T>> {
    if (this.cancelReason !== undefined) {
      // Nobody looks at it any more, and nobody is to be told that it failed.
      Promise.resolve(work).catch(() => undefined);
      return Promise.resolve({ kind: "cancelled" });
    }
    return new Promise((resolve) => {
      const end = (waited: Waited<T>): void => {
        cancelDeadline?.();
        this.#interruptible = undefined;
        resolve(waited);
      };
      const cancelDeadline = Number.isFinite(ms)
        ? this.services.clock.after(ms, () => end({ kind: "timed-out" }))
        : undefined;
      this.#interruptible = { interrupt: (why) => end({ kind: why }) };
      Promise.resolve(work).then(
        (value) => end({ kind: "settled", value }),
        (error: unknown) => end({ kind: "failed", error }),
      );
    });
  }

  /** While an executor runs, this is told. `undefined` ends that. */
  onInterrupt(interruptible: Interruptible | undefined): void {
    this.#interruptible = interruptible;
  }

  /** Aborts the call: nothing more of it starts, and whatever it waits for is answered with `cancelled`. */
  cancel(reason: string): void {
    if (this.cancelReason !== undefined) return;
    this.cancelReason = reason;
    this.interrupt("cancelled", reason);
  }

  /** Aborts the executor's signal and nested calls, then ends the wait that is under way. */
  interrupt(why: "cancelled" | "timed-out", reason: string): void {
    this.#abortReason = new DOMException(reason, why === "cancelled" ? "AbortError" : "TimeoutError");
    this.#controller?.abort(this.#abortReason);
    if (this.#nested) for (const run of [...this.#nested]) run.cancel(reason);
    this.#interruptible?.interrupt(why);
  }

  /** Made at its first use: most executors never look at it. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason);
    }
    return this.#controller.signal;
  }

  get abortReason(): unknown {
    return this.#abortReason;
  }

  /** Milliseconds since the epoch; set when the executor starts. */
  deadline = Number.POSITIVE_INFINITY;

  // ---------------------------------------------------------------- nested calls

  /** A call from inside this one: its caller, abort, remaining deadline, approver and held keys. */
  dispatchNested(call: ToolCall, hook?: HookTurn): readonly [result: Promise<ToolResult>, cancel: () => void] {
    const remaining = hook ? hook.deadline - this.clock.now() : this.deadline - this.clock.now();
    const run = this.dispatcher.open(call, {
      caller: this.caller,
      scope: { view: this.services.currentView(), ...(this.scope.turn === undefined ? {} : { turn: this.scope.turn }) },
      parent: this,
      outerHook: hook ?? this.outerHook,
      ...(Number.isFinite(remaining) ? { timeoutMs: Math.max(1, remaining) } : {}),
    });
    this.#nested ??= new Set();
    this.#nested.add(run);
    const over = this.#whyNestedMayNotStart(hook);
    if (over !== undefined) run.cancel(over);
    const result = this.dispatcher.run(run).finally(() => this.#nested?.delete(run));
    return [result, () => run.cancel("The hook that started it is over.")];
  }

  /** Nothing starts under a call that was aborted, ran out of time or has its answer. */
  #whyNestedMayNotStart(hook: HookTurn | undefined): string | undefined {
    if (this.cancelReason !== undefined) return this.cancelReason;
    if (hook) return undefined;
    if (this.#abortReason !== undefined) return "the call that it is nested in ran out of time";
    return this.hasExecuted ? "the call that it is nested in has its answer" : undefined;
  }

  get depth(): number {
    let depth = 0;
    for (let parent = this.parent; parent; parent = parent.parent) depth += 1;
    return depth;
  }

  // ---------------------------------------------------------------- HookHost

  get sessionId(): string {
    return this.services.sessionId;
  }
  get clock(): Clock {
    return this.services.clock;
  }
  get lock(): WriteLock {
    return this.services.lock;
  }
  get hookState(): HookState {
    return this.services.hookState;
  }
  get hookMs(): number {
    return this.services.limits.hookMs;
  }
}

const NO_KEYS: readonly ResourceKey[] = [];
const NO_CONTENT: readonly Content[] = [];
