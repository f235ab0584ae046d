import { Worker } from "node:worker_threads";
import type { Clock } from "../core/clock.ts";
import type { SearchPattern } from "./search-pattern.ts";

/** A line that matches: its index from 0, and where in it the match begins, in UTF-16 units. */
export interface LineMatch {
  readonly line: number;
  readonly at: number;
}

/** Finds matching lines. `close` frees what it holds. */
export interface LineMatcher {
  /** At most `most` matches of one text; undefined if the pattern takes too long on it, after which the matcher is spent. */
  match(text: string, most: number): Promise<readonly LineMatch[] | undefined> | readonly LineMatch[];
  close(): void;
}

/** Matches a pattern that cannot blow up right here, any other in a thread that can be ended. */
export function createLineMatcher(pattern: SearchPattern, { clock, signal }: MatcherOptions): LineMatcher {
  if (!pattern.isLinear) return new ThreadMatcher(pattern, { clock, signal });
  const regex = new RegExp(pattern.source, pattern.flags);
  return { match: (text, most) => matchLines(regex, text, most), close: () => undefined };
}

export interface MatcherOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

function matchLines(regex: RegExp, text: string, most: number): readonly LineMatch[] {
  const matches: LineMatch[] = [];
  const lines = text.split("\n");
  for (let line = 0; line < lines.length && matches.length < most; line += 1) {
    const at = (lines[line] ?? "").search(regex);
    if (at !== -1) matches.push({ line, at });
  }
  return matches;
}

/** How long one text may take. */
const TEXT_MS = 3000;

class ThreadMatcher implements LineMatcher {
  readonly #worker: Worker;
  readonly #options: MatcherOptions;
  #answer: ((matches: readonly LineMatch[] | undefined) => void) | undefined;
  #isSpent = false;

  constructor(pattern: SearchPattern, options: MatcherOptions) {
    this.#options = options;
    this.#worker = new Worker(THREAD_SOURCE, { eval: true, workerData: pattern, env: {}, execArgv: [] });
    this.#worker.on("message", (matches: readonly LineMatch[]) => this.#answer?.(matches));
    this.#worker.on("error", () => this.#giveUp());
    this.#worker.on("exit", () => this.#giveUp());
    options.signal.addEventListener("abort", this.#giveUp, { once: true });
  }

  async match(text: string, most: number): Promise<readonly LineMatch[] | undefined> {
    this.#options.signal.throwIfAborted();
    if (this.#isSpent) return undefined;
    const cancel = this.#options.clock.after(TEXT_MS, this.#giveUp);
    try {
      return await new Promise((resolve) => {
        this.#answer = resolve;
        // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        this.#worker.postMessage({ text, most });
      });
    } finally {
      cancel();
    }
  }

  close(): void {
    this.#giveUp();
  }

  readonly #giveUp = (): void => {
    if (this.#isSpent) return;
    this.#isSpent = true;
    this.#options.signal.removeEventListener("abort", this.#giveUp);
    this.#answer?.(undefined);
    void this.#worker.terminate();
  };
}

/** `matchLines` as the thread runs it: text, so that it survives bundling. A test holds the two to the same answers. */
const THREAD_SOURCE = `
const { parentPort, workerData } = require("node:worker_threads");
const regex = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", ({ text, most }) => {
  const matches = [];
  const lines = text.split("\\n");
  for (let line = 0; line < lines.length && matches.length < most; line += 1) {
    const at = lines[line].search(regex);
    if (at !== -1) matches.push({ line, at });
  }
  parentPort.postMessage(matches);
});
`;
