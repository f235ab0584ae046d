import type { SessionEvent } from "./event.ts";
import type { Run, RunResult } from "./run.ts";

/** How many events wait for a reader before the oldest are dropped. */
const BUFFERED_EVENTS = 10_000;

/** A prompt under way. Events go to whoever is iterating; nothing is kept for nobody. */
export class RunHandle implements Run {
  readonly #result: Promise<RunResult>;
  readonly #readers = new Set<Reader>();
  readonly #observe: (listener: (event: SessionEvent) => void) => () => void;
  #isOver = false;

  constructor(result: Promise<RunResult>, observe: (listener: (event: SessionEvent) => void) => () => void) {
    this.#observe = observe;
    this.#result = result.then((value) => {
      this.#isOver = true;
      for (const reader of this.#readers) reader.finish();
      return value;
    });
  }

  // A run is awaited like a promise: that is what it is for.
  then<A = RunResult, B = never>(
    onFulfilled?: ((value: RunResult) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#result.then(onFulfilled, onRejected);
  }

  [Symbol.asyncIterator](): AsyncIterator<SessionEvent> {
    const reader = new Reader();
    if (this.#isOver) reader.finish();
    this.#readers.add(reader);
    const stopObserving = this.#observe((event) => reader.push(event));
    const stop = (): void => {
      stopObserving();
      this.#readers.delete(reader);
    };
    return {
      next: async () => {
        const next = await reader.next();
        if (next.done === true) stop();
        return next;
      },
      return: async () => {
        stop();
        reader.finish();
        return { done: true, value: undefined };
      },
    };
  }
}

/** One iteration's buffer. */
class Reader {
  #events: SessionEvent[] = [];
  #first = 0;
  #dropped = 0;
  #isOver = false;
  #wake: (() => void) | undefined;

  push(event: SessionEvent): void {
    if (this.#isOver) return;
    if (this.#events.length - this.#first >= BUFFERED_EVENTS) {
      this.#first += 1;
      this.#dropped += 1;
    }
    this.#events.push(event);
    this.#wake?.();
  }

  finish(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<SessionEvent>> {
    for (;;) {
      const event = this.#take();
      if (event) return { done: false, value: event };
      if (this.#isOver) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): SessionEvent | undefined {
    const event = this.#events[this.#first];
    if (event === undefined) return undefined;
    if (this.#dropped > 0) {
      const count = this.#dropped;
      this.#dropped = 0;
      return { type: "events-dropped", count, sessionId: event.sessionId, at: event.at };
    }
    this.#first += 1;
    if (this.#first > 1024) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
    return event;
  }
}
