import type { Clock } from "../core/clock.ts";
import { ToolmapError } from "../core/errors.ts";

/** A clock that stands still until it is told. */
export interface ManualClock extends Clock {
  /** How many timers wait. */
  readonly pending: number;
  /**
   * Moves time on by `ms` and fires what falls due, in order of time, then of setting. What a timer's promises lead to
   * happens before the next timer fires; timers set on the way fire too if they fall due. Rejects with what a timer
   * throws; time then stands at that timer.
   */
  advance(ms: number): Promise<void>;
}

interface Timer {
  readonly due: number;
  readonly run: () => void;
}

/** A clock for tests. `start` is in milliseconds since the epoch. */
export function manualClock(start = 0): ManualClock {
  const timers = new Set<Timer>();
  let now = start;

  async function moveTo(target: number): Promise<void> {
    await settle();
    for (let timer = earliest(timers, target); timer; timer = earliest(timers, target)) {
      timers.delete(timer);
      now = Math.max(now, timer.due);
      timer.run();
      await settle();
    }
    now = Math.max(now, target);
  }

  return {
    now: () => now,
    after(ms, run) {
      const timer: Timer = { due: now + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      if (!(ms >= 0 && Number.isFinite(ms))) {
        throw new ToolmapError(
          "bad-option",
          `The manual clock cannot be advanced by ${ms} ms: time goes on by a number, 0 or more.`,
        );
      }
      await moveTo(now + ms);
    },
  };
}

/** A Set keeps the order of setting, so the first of the earliest is the right one. */
function earliest(timers: ReadonlySet<Timer>, target: number): Timer | undefined {
  let found: Timer | undefined;
  for (const timer of timers) {
    if (timer.due <= target && (!found || timer.due < found.due)) found = timer;
  }
  return found;
}

/** Comes back when no promise that is already settled has anything left to run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
