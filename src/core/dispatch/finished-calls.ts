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

/** The last ended calls by id: what `once` answers from and what a repeated id is compared with. Bounded. */
export class FinishedCalls {
  readonly #byId = new Map<string, FinishedCall>();
  readonly #ring: string[] = [];
  #next = 0;

  get(id: string): FinishedCall | undefined {
    return this.#byId.get(id);
  }

  add(id: string, finished: FinishedCall): void {
    const oldest = this.#ring[this.#next];
    if (oldest !== undefined) this.#byId.delete(oldest);
    this.#ring[this.#next] = id;
    this.#next = (this.#next + 1) % REMEMBERED;
    this.#byId.set(id, finished);
  }
}
