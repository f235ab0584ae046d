import type { Stop } from "./run.ts";

/** How a prompt is ended from outside: a signal for the model, and one slot for whatever the loop waits for now. */
export class PromptStop {
  readonly #controller = new AbortController();
  #reason: Stop = "cancelled";
  /** Told at the abort. One slot and no listener: the loop waits for one thing at a time, thousands of times. */
  onAbort: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted;
  }

  get reason(): Stop {
    return this.#reason;
  }

  abort(reason: Stop): void {
    if (this.isAborted) return;
    this.#reason = reason;
    this.#controller.abort();
    this.onAbort?.();
  }
}
