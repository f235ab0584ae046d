/** Whether a session may still start calls, and which. */
export class SessionHealth {
  #isClosed = false;
  #degradation: string | undefined;
  readonly #onDegraded: (message: string) => void;

  constructor(onDegraded: (message: string) => void) {
    this.#onDegraded = onDegraded;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why only read-only calls may run; undefined in good health. */
  get degradation(): string | undefined {
    return this.#degradation;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** The first reason stays, until the session is opened anew. */
  degrade(message: string): void {
    if (this.#degradation !== undefined) return;
    this.#degradation = message;
    this.#onDegraded(message);
  }
}
