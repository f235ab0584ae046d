import type { Clock } from "../core/clock.ts";
import { describeSkipped, part } from "./describe-skipped.ts";
import type { Glob } from "./glob.ts";
import { rowsAfterMatch, rowsOfMatch } from "./grep-rows.ts";
import type { LineMatch, LineMatcher } from "./line-matcher.ts";
import { LARGEST_SEARCHED, readForSearch } from "./read-for-search.ts";
import { quote, ToolFailure } from "./tool-failure.ts";
import { nothingSkipped, walk } from "./walk.ts";
import { pathsOf, type Place, type Workspace } from "./workspace.ts";

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly literal?: boolean;
  readonly limit?: number;
  readonly context?: number;
  readonly offset?: number;
}

export interface GrepSearchOptions {
  readonly input: GrepInput;
  readonly place: Place;
  readonly glob: Glob | undefined;
  readonly matcher: LineMatcher;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A file to search: its real path, and the one to show. */
export interface SearchedFile {
  readonly real: string;
  readonly shown: string;
}

const MOST_MATCHES = 200;
const MOST_BYTES = 30 * 1024;
const MOST_SCANNED = 256 * 1024 * 1024;
const LONGEST_MS = 30_000;
/** How long files are searched before others get their turn. */
const TURN_MS = 20;

/** One search: collects rows until a limit is reached, and reports them with the way to go on. */
export class GrepSearch {
  readonly #workspace: Workspace;
  readonly #options: GrepSearchOptions;
  readonly #limit: number;
  readonly #skipped = nothingSkipped();
  readonly #rows: string[] = [];
  readonly #startedAt: number;
  #turnStart = performance.now();
  #bytes = 0;
  #found = 0;
  #shown = 0;
  #files = 0;
  #scanned = 0;
  #binary = 0;
  #tooLarge = 0;
  #hasMore = false;
  #stopped: string | undefined;

  constructor(workspace: Workspace, options: GrepSearchOptions) {
    this.#workspace = workspace;
    this.#options = options;
    this.#limit = Math.min(options.input.limit ?? MOST_MATCHES, MOST_MATCHES);
    this.#startedAt = options.clock.now();
  }

  async searchFolder(): Promise<void> {
    const { place, glob, signal } = this.#options;
    const options = {
      signal,
      skipped: this.#skipped,
      withHidden: glob?.namesHidden === true,
      named: glob?.names ?? NO_NAMES,
    };
    const paths = pathsOf(this.#workspace.platform);
    for await (const entry of walk(this.#workspace, place.real, options)) {
      if (entry.kind === "unreadable") this.#skipped.unreadable += 1;
      else if (entry.kind === "link") this.#skipped.links += 1;
      if (entry.kind !== "file") continue;
      const relative = paths.relative(place.real, entry.real).split(paths.sep).join("/");
      if (glob && !glob.matches(relative)) continue;
      await this.searchFile(entry);
      if (this.#hasMore || this.#stopped !== undefined) return;
    }
  }

  async searchFile(file: SearchedFile): Promise<void> {
    await this.#takeTurns();
    const content = readForSearch(this.#workspace, file.real);
    if (content.kind === "binary") this.#binary += 1;
    else if (content.kind === "too-large") this.#tooLarge += 1;
    else if (content.kind === "unreadable") this.#skipped.unreadable += 1;
    if (content.kind !== "text") return;
    this.#files += 1;
    this.#scanned += content.bytes;
    const most = (this.#options.input.offset ?? 0) + this.#limit + 1 - this.#found;
    const matches = await this.#options.matcher.match(content.text, most);
    if (matches === undefined)
      this.#stopped = `the pattern takes too long on ${file.shown}; use one with fewer nested repetitions`;
    else if (matches.length > 0) this.#addMatches(file, content.text.split("\n"), matches);
    this.#stopAtBounds();
  }

  report(): string {
    const { input, place } = this.#options;
    const notes = this.#notes();
    if (this.#shown > 0) return [this.#rows.join("\n"), ...notes].join("\n\n");
    if (this.#found > 0) {
      throw new ToolFailure(`Cannot go on at offset ${input.offset}: there are ${this.#found} matches.`);
    }
    if (this.#stopped !== undefined)
      throw new ToolFailure(`The search for ${quote(input.pattern)} found nothing and ended early: ${this.#stopped}.`);
    const files = `${this.#files} ${this.#files === 1 ? "file" : "files"} searched`;
    return [`No matches for ${quote(input.pattern)} in ${place.shown} (${files}).`, ...notes].join("\n");
  }

  #addMatches(file: SearchedFile, lines: readonly string[], matches: readonly LineMatch[]): void {
    const request = { path: file.shown, lines, context: this.#options.input.context ?? 0 };
    let last = -1;
    for (const [index, match] of matches.entries()) {
      this.#found += 1;
      if (this.#found <= (this.#options.input.offset ?? 0)) continue;
      const rows = [
        ...rowsOfMatch(request, match, last),
        ...rowsAfterMatch(request, match.line, matches[index + 1]?.line),
      ];
      if (!this.#addRows(rows)) return;
      last = Math.min(lines.length - 1, match.line + request.context, (matches[index + 1]?.line ?? lines.length) - 1);
    }
  }

  /** False once a limit is reached; the rows are then left to the next call. */
  #addRows(rows: readonly string[]): boolean {
    const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0);
    const fits = this.#shown < this.#limit && (this.#shown === 0 || this.#bytes + bytes <= MOST_BYTES);
    if (!fits) {
      this.#hasMore = true;
      return false;
    }
    this.#rows.push(...rows);
    this.#bytes += bytes;
    this.#shown += 1;
    return true;
  }

  #stopAtBounds(): void {
    if (this.#stopped !== undefined) return;
    if (this.#scanned > MOST_SCANNED)
      this.#stopped = `${this.#scanned} bytes were searched; name a smaller path or a glob`;
    else if (this.#options.clock.now() - this.#startedAt > LONGEST_MS) {
      this.#stopped = `${LONGEST_MS} ms are over; name a smaller path or a glob`;
    }
  }

  #notes(): readonly string[] {
    if (this.#hasMore) {
      const next = JSON.stringify({ ...this.#options.input, offset: (this.#options.input.offset ?? 0) + this.#shown });
      return [`[${this.#shown} matches shown; more follow. To go on, call grep with ${next}.]`];
    }
    const skipped = describeSkipped(this.#skipped, [
      ...part(this.#binary, "binary file", "binary files"),
      ...part(this.#tooLarge, `file over ${LARGEST_SEARCHED} bytes`, `files over ${LARGEST_SEARCHED} bytes`),
    ]);
    return [
      ...(this.#stopped === undefined ? [] : [`[Ended early: ${this.#stopped}.]`]),
      ...(skipped === undefined ? [] : [`[${skipped}]`]),
    ];
  }

  async #takeTurns(): Promise<void> {
    if (performance.now() - this.#turnStart < TURN_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnStart = performance.now();
    this.#options.signal.throwIfAborted();
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();
