import type { Clock } from "../clock.ts";
import { isPromiseLike } from "../json.ts";
import type { EventBody, SessionEvent } from "./event.ts";

type Listener = (event: SessionEvent) => void;

/** Tells listeners what happens. No listener can break anything, and while there is none no event is built. */
export class EventHub {
  readonly #sessionId: string;
  readonly #clock: Clock;
  #listeners: readonly Listener[] = [];
  /** Called once for each listener that throws. */
  readonly #onBroken: (error: unknown) => void;
  readonly #broken = new WeakSet<Listener>();
  #onWatched: (() => void) | undefined;

  constructor(sessionId: string, clock: Clock, onBroken: (error: unknown) => void) {
    this.#sessionId = sessionId;
    this.#clock = clock;
    this.#onBroken = onBroken;
  }

  get isObserved(): boolean {
    return this.#listeners.length > 0;
  }

  /** Told each time when somebody begins to listen and nobody did. */
  whenWatched(tell: () => void): void {
    this.#onWatched = tell;
  }

  /** Returns the removal. */
  observe(listener: Listener): () => void {
    const own: Listener = (event) => listener(event);
    if (this.#listeners.length === 0) this.#onWatched?.();
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== own);
    };
  }

  emit(body: EventBody, callId?: string, turn?: number): void {
    if (this.#listeners.length === 0) return;
    const event: SessionEvent = Object.freeze({
      ...body,
      sessionId: this.#sessionId,
      ...(turn === undefined ? {} : { turn }),
      ...(callId === undefined ? {} : { callId }),
      at: this.#clock.now(),
    });
    for (const listener of this.#listeners) this.#tell(listener, event);
  }

  #tell(listener: Listener, event: SessionEvent): void {
    try {
      const answer: unknown = listener(event);
      if (isPromiseLike(answer)) answer.then(undefined, (error: unknown) => this.#report(listener, error));
    } catch (error) {
      this.#report(listener, error);
    }
  }

  #report(listener: Listener, error: unknown): void {
    if (this.#broken.has(listener)) return;
    this.#broken.add(listener);
    this.#onBroken(error);
  }
}
