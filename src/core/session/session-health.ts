import type { Degradation } from "../dispatch/dispatch-services.ts";
import type { Warning } from "../tool/diagnostic.ts";

/** Whether a session may still start calls, and which. */
export class SessionHealth {
  #isClosed = false;
  #degradation: Degradation | undefined;
  readonly #onDegraded: (message: string) => void;

  constructor(onDegraded: (message: string) => void) {
    this.#onDegraded = onDegraded;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why not every call may run; undefined in good health. */
  get degradation(): Degradation | undefined {
    return this.#degradation;
  }

  /** What whoever looks at the plan has to know. */
  get warnings(): readonly Warning[] {
    if (this.#degradation === undefined) return [];
    return [{ code: "session-degraded", message: `The session is degraded: ${this.#degradation.message}.` }];
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Only what changes nothing runs from now on. The first reason stays, until the session is opened anew. */
  degrade(message: string): void {
    if (this.#degradation === undefined) this.#set({ message, runsReadOnly: true });
  }

  /** The session is another process's: nothing runs from now on. */
  lose(message: string): void {
    if (this.#degradation?.runsReadOnly !== false) this.#set({ message, runsReadOnly: false });
  }

  #set(degradation: Degradation): void {
    this.#degradation = degradation;
    this.#onDegraded(degradation.message);
  }
}
