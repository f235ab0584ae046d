import type { JsonObject } from "../json.ts";
import type { ToolResult } from "../tool/result.ts";

/** A call that has ended, as far as a repeated id needs it. */
export interface FinishedCall {
  readonly name: string;
  readonly input: JsonObject | undefined;
  readonly result: ToolResult;
}

/** How many ended calls are remembered without a journal. */
const REMEMBERED = 1000;

/** The ids of open calls, and the last ended calls by id: what `once` answers from and what a repeated id is compared with. Bounded. */
export class FinishedCalls {
  /** Undefined while the call is open: one map, since each call enters and leaves it. */
  readonly #byId = new Map<string, FinishedCall | undefined>();
  readonly #remembered: number;
  readonly #ring: string[] = [];
  #next = 0;

  /** `remembered`: how many ended calls are kept. With a record it is all of them: nothing that has run may run again. */
  constructor(remembered = REMEMBERED) {
    this.#remembered = remembered;
  }

  get(id: string): FinishedCall | undefined {
    return this.#byId.get(id);
  }

  /** Whether a call of this id is open or remembered. */
  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** A call of this id is open. */
  open(id: string): void {
    this.#byId.set(id, undefined);
  }

  /** The call of this id has ended. */
  add(id: string, finished: FinishedCall): void {
    this.#byId.set(id, finished);
    if (this.#remembered === Number.POSITIVE_INFINITY) return;
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#byId.delete(oldest);
    this.#ring[this.#next] = id;
    this.#next = (this.#next + 1) % this.#remembered;
  }

  /** The call of this id was given up and left nothing. */
  forget(id: string): void {
    this.#byId.delete(id);
  }
}
