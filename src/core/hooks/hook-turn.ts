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
  readonly #hook: Hook;
  #hold: LockHold | undefined;
  /** The lock was taken for this turn and no hold was needed yet. */
  #ownsLock = false;
  #ownsHold = true;
  #holdsNestedLock = false;
  #isOver = false;
  #isSuspended = false;
  #deadline: number | undefined;
  #controller: AbortController | undefined;
  #cancellations: Set<() => void> | undefined;
  #state: HookState | undefined;
  #nestedLock: WriteLock | undefined;

  constructor(host: HookHost, hook: Hook) {
    this.#host = host;
    this.#hook = hook;
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

  /** The hold that nested calls give back while they wait. Undefined for a concurrent hook. */
  get hold(): LockHold | undefined {
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
    this.#controller?.abort(new ToolmapError("hook-expired", `Hook "${this.#hook.name}" is over.`));
    if (this.#ownsLock) {
      this.#host.lock.release();
      return;
    }
    if (!this.#hold) return;
    if (!this.#isSuspended) this.#hold.leave();
    if (this.#ownsHold) this.#hold.giveBackWhileIdle();
    if (this.#holdsNestedLock) this.#host.outerHook?.nestedLock.release();
  }

  get timeoutMs(): number {
    return this.#hook.timeoutMs ?? this.#host.hookMs;
  }

  get sessionId(): string {
    return this.#host.sessionId;
  }

  get deadline(): number {
    this.#deadline ??= this.#host.clock.now() + this.timeoutMs;
    return this.#deadline;
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
    const hold = this.hold;
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
    if (hold && this.#isSuspended) {
      this.#isSuspended = false;
      await hold.enter();
    }
    return answer;
  }

  #assertLive(action: string): void {
    if (!this.#isOver) return;
    throw new ToolmapError(
      "hook-expired",
      `Hook "${this.#hook.name}" cannot ${action}: it has settled or its deadline has passed.`,
      {
        fix: "Await everything the hook starts, or raise its timeoutMs.",
      },
    );
  }
}
