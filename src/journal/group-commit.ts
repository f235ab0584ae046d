/** Lets everybody who waits for the disk at the same time wait for one flush. */
export class GroupCommit {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | undefined;
  /** Asked for and not begun: whoever comes now is part of it. */
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /**
   * Settles as a flush does that begins after this call: when the event loop turns, so that calls of one turn share it, or when the
   * one under way has ended.
   */
  request(): Promise<void> {
    this.#next ??= this.#begin(this.#running);
    return this.#next;
  }

  /** Settles when nothing is under way. Never rejects. */
  async idle(): Promise<void> {
    for (let each = this.#next ?? this.#running; each; each = this.#next ?? this.#running) {
      await each.catch(() => undefined);
    }
  }

  async #begin(before: Promise<void> | undefined): Promise<void> {
    if (before) await before.catch(() => undefined);
    else await nextTurn();
    const flushing = this.#flush();
    this.#running = flushing;
    this.#next = undefined;
    try {
      await flushing;
    } finally {
      if (this.#running === flushing) this.#running = undefined;
    }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
