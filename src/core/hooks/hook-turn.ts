import type { Clock } from "../clock.ts";
import { ToolmapError } from "../errors.ts";
import type { ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import type { Hook, HookContext, HookState } from "./hook.ts";
import { LockHold } from "./lock-hold.ts";
import type { Waited } from "./waited.ts";
import { WriteLock } from "./write-lock.ts";

/** What a hook needs of the call that it runs in. */
export interface HookHost {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly lock: WriteLock;
  readonly hookState: HookState;
  /** @default of a hook that names none, in milliseconds */
  readonly hookMs: number;
  /** The hook that this call is nested in. */
  readonly outerHook: HookTurn | undefined;
  /** Set once the call is aborted: nothing more of it may start. */
  readonly cancelReason: string | undefined;
  /** Waits no longer than until the call is cancelled or `ms` have passed. */
  waitFor<T>(work: PromiseLike<T>, ms: number): Promise<Waited<T>>;
  /** Starts a nested call whose hooks run under `hook`'s hold. The second member cancels it. */
  dispatchNested(call: ToolCall, hook: HookTurn): readonly [result: Promise<ToolResult>, cancel: () => void];
}

/**
 * One run of one hook: its hands (HookContext) and its hold of the session write lock.
 * Once `end` was called its hands are dead, before the lock moves on.
 */
export class HookTurn implements HookContext {
  readonly #host: HookHost;
  readonly hook: Hook;
  #hold: LockHold | undefined;
  /** The lock was taken for this turn and no hold was needed yet. */
  #ownsLock = false;
  #ownsHold = true;
  #holdsNestedLock = false;
  #isOver = false;
  /** Its code is waiting for a nested call, so the lock may be given back. */
  #isSuspended = false;
  /** It is taking the lock again, for whichever nested call ended first. */
  #resuming: Promise<void> | undefined;
  #deadline: number | undefined;
  #controller: AbortController | undefined;
  #cancellations: Set<() => void> | undefined;
  #state: HookState | undefined;
  #nestedLock: WriteLock | undefined;

  constructor(host: HookHost, hook: Hook) {
    this.#host = host;
    this.hook = hook;
  }

  /** Takes the session's lock if that needs no wait. */
  tryLock(): boolean {
    if (this.#host.outerHook !== undefined) return false;
    this.#ownsLock = this.#host.lock.tryAcquire();
    return this.#ownsLock;
  }

  /** Waits for the lock: the outer hook's when the call is nested in one. Rejects nothing; may be abandoned by `end`. */
  async lock(): Promise<void> {
    const outer = this.#host.outerHook;
    if (outer && !outer.nestedLock.tryAcquire()) await outer.nestedLock.wait().granted;
    if (this.#isOver) {
      outer?.nestedLock.release();
      return;
    }
    this.#holdsNestedLock = outer !== undefined;
    const shared = outer?.hold;
    this.#ownsHold = shared === undefined;
    this.#hold = shared ?? new LockHold(this.#host.lock);
    await this.#hold.enter();
  }

  /** Keeps hooks of this hook's nested calls one after another. */
  get nestedLock(): WriteLock {
    this.#nestedLock ??= new WriteLock();
    return this.#nestedLock;
  }

  /** The hold under which hooks and records of nested calls run: its own, or that of the hook which this one is nested in. */
  get hold(): LockHold | undefined {
    return this.#ownHold ?? this.#host.outerHook?.hold;
  }

  /** Undefined for a concurrent hook. */
  get #ownHold(): LockHold | undefined {
    if (this.#ownsLock && this.#hold === undefined) {
      this.#hold = new LockHold(this.#host.lock, { isHeld: true });
      this.#ownsLock = false;
    }
    return this.#hold;
  }

  /** Kills the context, cancels what it started, and lets the lock move on. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#cancellations) for (const cancel of this.#cancellations) cancel();
    this.#controller?.abort(new ToolmapError("hook-expired", `Hook "${this.hook.name}" is over.`));
    if (this.#ownsLock) {
      this.#host.lock.release();
      return;
    }
    if (!this.#hold) return;
    if (!this.#isSuspended) this.#hold.leave();
    if (this.#ownsHold) this.#hold.giveBackWhileIdle();
    if (this.#holdsNestedLock) this.#host.outerHook?.nestedLock.release();
  }

  /** Its answer is waited for from now on. Returns for how long, in milliseconds. */
  startDeadline(): number {
    const ms = this.#timeoutMs;
    this.#deadline = this.#host.clock.now() + ms;
    return ms;
  }

  get #timeoutMs(): number {
    return this.hook.timeoutMs ?? this.#host.hookMs;
  }

  get sessionId(): string {
    return this.#host.sessionId;
  }

  get deadline(): number {
    return this.#deadline ?? this.#host.clock.now() + this.#timeoutMs;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  get state(): HookState {
    this.#state ??= {
      get: (key) => this.#host.hookState.get(key),
      set: (key, value) => {
        this.#assertLive("write session state");
        this.#host.hookState.set(key, value);
      },
    };
    return this.#state;
  }

  get dispatch(): (call: ToolCall) => Promise<ToolResult> {
    return (call) => this.#dispatch(call);
  }

  async #dispatch(call: ToolCall): Promise<ToolResult> {
    this.#assertLive("dispatch a call");
    const hold = this.#ownHold;
    if (hold && !this.#isSuspended) {
      this.#isSuspended = true;
      hold.leave();
    }
    const [result, cancel] = this.#host.dispatchNested(call, this);
    this.#cancellations ??= new Set();
    this.#cancellations.add(cancel);
    const answer = await result;
    this.#cancellations.delete(cancel);
    this.#assertLive("go on");
    if (hold) await this.#resume(hold);
    return answer;
  }

  /** Takes the lock again, once, however many nested calls end meanwhile. */
  #resume(hold: LockHold): Promise<void> | undefined {
    if (!this.#isSuspended) return this.#resuming;
    this.#isSuspended = false;
    this.#resuming = hold.enter()?.finally(() => {
      this.#resuming = undefined;
    });
    return this.#resuming;
  }

  #assertLive(action: string): void {
    if (!this.#isOver) return;
    throw new ToolmapError(
      "hook-expired",
      `Hook "${this.hook.name}" cannot ${action}: it has settled or its deadline has passed.`,
      {
        fix: "Await everything the hook starts, or raise its timeoutMs.",
      },
    );
  }
}
