import type { Clock } from "../core/clock.ts";

/** Calls `report` after changes, at most ten times a second, the last change included. */
export class ProgressReporter {
  readonly #clock: Clock;
  readonly #report: () => void;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, report: () => void) {
    this.#clock = clock;
    this.#report = report;
  }

  changed(): void {
    this.#cancel ??= this.#clock.after(INTERVAL_MS, () => {
      this.#cancel = undefined;
      this.#report();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

const INTERVAL_MS = 100;
