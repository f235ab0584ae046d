import type { WriteLock } from "./write-lock.ts";

/**
 * The session write lock as one hook and everything nested in it hold it.
 *
 * While the hook awaits a nested call, hooks of that call run under the same hold. It is given back while the nested tool
 * runs, a key is waited for or a person is asked (`giveBackWhileIdle`), and taken again before the hook goes on.
 */
export class LockHold {
  readonly #lock: WriteLock;
  #isHeld: boolean;
  /** Hooks whose own code may be running now: neither waiting for a nested call nor abandoned. */
  #runningHooks: number;
  #taking: Promise<void> | undefined;

  /** `isHeld`: the lock was taken already, for one running hook. */
  constructor(lock: WriteLock, { isHeld = false }: { readonly isHeld?: boolean } = {}) {
    this.#lock = lock;
    this.#isHeld = isHeld;
    this.#runningHooks = isHeld ? 1 : 0;
  }

  /** Enters a hook's code. Undefined when that took no wait. */
  enter(): Promise<void> | undefined {
    this.#runningHooks += 1;
    return this.#isHeld ? undefined : this.#take();
  }

  /** Leaves a hook's code, for a nested call or for good. The lock stays until `giveBackWhileIdle`. */
  leave(): void {
    this.#runningHooks -= 1;
  }

  /** Gives the lock back if no hook under this hold is running now. */
  giveBackWhileIdle(): void {
    if (!this.#isHeld || this.#runningHooks > 0) return;
    this.#isHeld = false;
    this.#lock.release();
  }

  #take(): Promise<void> | undefined {
    if (this.#taking) return this.#taking;
    if (this.#lock.tryAcquire()) {
      this.#isHeld = true;
      return undefined;
    }
    this.#taking = this.#lock.wait().granted.then(() => {
      this.#taking = undefined;
      this.#isHeld = true;
      // Whoever wanted it may have been abandoned while it waited.
      this.giveBackWhileIdle();
    });
    return this.#taking;
  }
}
