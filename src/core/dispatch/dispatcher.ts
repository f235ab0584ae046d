import type { ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import { type CallBook, CallRun, type StartOptions } from "./call-run.ts";
import { dispatch } from "./dispatch.ts";
import type { DispatchServices } from "./dispatch-services.ts";
import { type FinishedCall, FinishedCalls } from "./finished-calls.ts";
import { LinkedList } from "./linked-list.ts";
import { type GivenCall, readCall } from "./read-call.ts";
import { isGivenAgain, type StartedCall } from "./started-call.ts";

/** Starts calls and knows which are open. One a session. */
export class Dispatcher implements CallBook {
  readonly services: DispatchServices;
  readonly #open = new LinkedList<CallRun>();
  readonly #late = new Set<CallRun>();
  /** Calls whose id was given: only those can be given again. */
  readonly #finished: FinishedCalls;
  /** With a record, calls under ids of our own are remembered as well: a later process would know them from it. */
  readonly #remembersAll: boolean;
  /** Calls of the record that had started and have no outcome, but may run again. */
  readonly #started = new Map<string, StartedCall>();
  readonly #renames = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #lastNumber = 0;

  constructor(services: DispatchServices) {
    this.services = services;
    this.#remembersAll = services.journal?.read !== undefined;
    this.#finished = new FinishedCalls(this.#remembersAll ? Number.POSITIVE_INFINITY : undefined);
  }

  /**
   * Takes up what a record says: these ids are used, and `once` answers from what has ended. `started` are the calls that may
   * run again, each under its own id.
   */
  restore(
    calls: Iterable<readonly [id: string, finished: FinishedCall | undefined]>,
    started: Iterable<readonly [id: string, call: StartedCall]> = [],
  ): void {
    for (const [id, finished] of calls) {
      if (finished) this.#finished.add(id, finished);
      else this.#finished.open(id);
      this.#countFrom(id);
    }
    for (const [id, call] of started) {
      this.#started.set(id, call);
      this.#countFrom(id);
    }
  }

  /** One call to one result. Never rejects. */
  start(call: ToolCall, options: StartOptions): Promise<ToolResult> {
    return dispatch(this.open(call, options));
  }

  /** Takes an open run to its result. */
  run(run: CallRun): Promise<ToolResult> {
    return dispatch(run);
  }

  /** Makes a call's run and counts it as open. */
  open(call: ToolCall | GivenCall, options: StartOptions): CallRun {
    const given = readCall(call);
    const id = options.isOnRecord === true && given.id !== undefined ? given.id : this.#claimId(given);
    const run = new CallRun(this, given, options, id);
    run.openLink = this.#open.add(run);
    if (given.id !== undefined) this.#finished.open(run.callId);
    return run;
  }

  /** The run has its result. */
  finish(run: CallRun, result: ToolResult): void {
    this.#close(run);
    const { callId, call, name, originalInput } = run;
    if (this.#started.size > 0) this.#started.delete(callId);
    if (run.recorded) this.#forgetId(run);
    else if (call.id !== undefined || this.#remembersAll)
      this.#finished.add(callId, { name, input: originalInput, result });
  }

  /** The run is given up without a result: it was only prepared or explained. */
  forget(run: CallRun): void {
    this.#close(run);
    this.#forgetId(run);
  }

  /** What ended under this id, if it is remembered. */
  finishedCall(id: string): ReturnType<FinishedCalls["get"]> {
    return this.#finished.get(id);
  }

  mayHaveRun(callId: string): boolean {
    return this.#started.has(callId);
  }

  get openRuns(): Iterable<CallRun> {
    return this.#open;
  }

  /** Executors that go on although their call has been answered. */
  get late(): ReadonlySet<CallRun> {
    return this.#late;
  }

  addLate(run: CallRun): void {
    this.#late.add(run);
  }

  removeLate(run: CallRun): void {
    this.#late.delete(run);
    if (this.#late.size === 0) this.#wake();
  }

  /** Settles when no call is open. */
  async whenAnswered(): Promise<void> {
    while (this.#open.size > 0) await this.#nextChange();
  }

  /** Settles when no executor is late. */
  async whenNoneLate(): Promise<void> {
    while (this.#late.size > 0) await this.#nextChange();
  }

  /** Answers every open call with `cancelled`. */
  cancelAll(reason: string): void {
    for (const run of [...this.#open]) run.cancel(reason);
  }

  #close(run: CallRun): void {
    if (run.openLink) this.#open.remove(run.openLink);
    run.openLink = undefined;
    if (this.#open.size === 0) this.#wake();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** A given id, renamed `<id>#2` when it is in use or was used for another call; else one of our own. */
  #claimId(call: GivenCall): string {
    const { id } = call;
    if (id !== undefined) return this.#isUsed(id) && !this.#isGivenAgain(id, call) ? this.#rename(id) : id;
    let own: string;
    do {
      this.#lastNumber += 1;
      own = `call_${this.#lastNumber}`;
    } while (this.#finished.has(own));
    return own;
  }

  /** Counts on from the last rename of the same id, so that a backend which says `call_0` for ever costs no search. */
  #rename(id: string): string {
    let number = this.#renames.get(id) ?? 1;
    do number += 1;
    while (this.#isUsed(`${id}#${number}`));
    if (this.#renames.size >= REMEMBERED_RENAMES) this.#renames.clear();
    this.#renames.set(id, number);
    return `${id}#${number}`;
  }

  /** The call left nothing, or was answered with what is on record: its id, and the rename of it, are free again. */
  #forgetId({ call: { id }, callId }: CallRun): void {
    if (id === undefined) return;
    this.#finished.forget(callId);
    const number = this.#renames.get(id);
    if (number !== undefined && callId === `${id}#${number}`) this.#renames.set(id, number - 1);
  }

  #isUsed(id: string): boolean {
    return this.#finished.has(id) || this.#started.has(id) || this.#isOwn(id);
  }

  #isGivenAgain(id: string, call: GivenCall): boolean {
    const started = this.#started.get(id);
    return started !== undefined && !this.#finished.has(id) && isGivenAgain(started, call);
  }

  #countFrom(id: string): void {
    const number = ownNumber(id);
    if (number > this.#lastNumber) this.#lastNumber = number;
  }

  /** One of our own numbers that was handed out already. */
  #isOwn(id: string): boolean {
    return ownNumber(id) <= this.#lastNumber;
  }
}

/** NaN for an id that is none of ours. */
function ownNumber(id: string): number {
  return /^call_\d{1,15}$/.test(id) ? Number(id.slice(5)) : Number.NaN;
}

const REMEMBERED_RENAMES = 1000;
