/** A place in the queue of a write lock. `leave` gives it up; after `granted` it has no effect. */
export interface LockWait {
  readonly granted: Promise<void>;
  leave(): void;
}

/** One writer at a time, in arrival order. Taking it when it is free costs no tick. */
export class WriteLock {
  #isHeld = false;
  readonly #queue: Waiter[] = [];

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Takes the lock if it is free and nobody waits. */
  tryAcquire(): boolean {
    if (this.#isHeld) return false;
    this.#isHeld = true;
    return true;
  }

  /** Queues for the lock. */
  wait(): LockWait {
    let grant = (): void => undefined;
    const granted = new Promise<void>((resolve) => {
      grant = resolve;
    });
    const waiter: Waiter = { grant };
    this.#queue.push(waiter);
    return {
      granted,
      leave: () => {
        const place = this.#queue.indexOf(waiter);
        if (place !== -1) this.#queue.splice(place, 1);
      },
    };
  }

  /** Hands the lock to whoever has waited longest. */
  release(): void {
    const next = this.#queue.shift();
    if (next) next.grant();
    else this.#isHeld = false;
  }

  /** Runs `work` alone. A throw releases the lock and passes through. */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (!this.tryAcquire()) await this.wait().granted;
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}

interface Waiter {
  readonly grant: () => void;
}
