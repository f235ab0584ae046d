/** Lets everybody who waits for the disk at the same time wait for one flush. */
export class GroupCommit {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Settles as a flush does that begins after this call: at once, or when the one under way has ended. */
  request(): Promise<void> {
    if (this.#running === undefined) return this.#begin();
    const begin = (): Promise<void> => this.#begin();
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  /** Settles when nothing is under way. Never rejects. */
  async idle(): Promise<void> {
    while (this.#running) await (this.#next ?? this.#running).catch(() => undefined);
  }

  #begin(): Promise<void> {
    const flushing = this.#flush();
    const ended = (): void => {
      if (this.#next === undefined) this.#running = undefined;
    };
    this.#next = undefined;
    this.#running = flushing;
    flushing.then(ended, ended);
    return flushing;
  }
}
