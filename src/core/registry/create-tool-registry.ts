import { ToolmapError } from "../errors.ts";
import { clipText, isPromiseLike } from "../json.ts";
import type { Warning } from "../tool/diagnostic.ts";
import type { AnyTool } from "../tool/tool.ts";
import { assertSources } from "./assert-sources.ts";
import { type Contribution, mergeTools } from "./merge-tools.ts";
import { ownContributions } from "./own-tools.ts";
import type { Registry, ToolRegistry } from "./registry.ts";
import type { ToolSource } from "./source.ts";
import { thrownText } from "./thrown-text.ts";
import { WatchedSource } from "./watched-source.ts";

export interface ToolRegistryOptions {
  /** The program's own. Two of one name, or a malformed one, throw. */
  readonly tools?: readonly AnyTool[];
  readonly sources?: readonly ToolSource[];
}

/**
 * A registry over the program's own tools and any number of sources. Starts the sources and does not wait for them; a
 * source that fails, now or later, is `down` and takes nothing else with it. Throws ToolmapError `bad-option`, `bad-source`,
 * `bad-tool`, `duplicate-tool-name`.
 */
export function createToolRegistry(options: ToolRegistryOptions = {}): ToolRegistry {
  assertKnown(options);
  const { tools = [], sources = [] } = options;
  assertList(tools, "tools");
  assertList(sources, "sources");
  assertSources(sources);
  return new LiveRegistry(ownContributions(tools), sources);
}

/** A misspelt option would be a registry without tools. */
function assertKnown(options: ToolRegistryOptions): void {
  const unknown = Object.keys(options).find((key) => key !== "tools" && key !== "sources");
  if (unknown !== undefined)
    throw new ToolmapError("bad-option", `createToolRegistry has no option "${clipText(unknown, 80)}".`, {
      fix: "It takes tools and sources.",
    });
}

function assertList(value: unknown, option: string): void {
  if (!Array.isArray(value))
    throw new ToolmapError("bad-option", `The option "${option}" of createToolRegistry must be a list.`);
}

class LiveRegistry implements ToolRegistry {
  readonly #own: readonly Contribution[];
  readonly #sources: readonly WatchedSource[];
  readonly #kinds: Registry["sourceKinds"];
  readonly #listeners = new Set<Listening>();
  readonly #stop = new AbortController();
  readonly #started: Promise<void>;
  #listenerWarnings: readonly Warning[] = [];
  #current: Registry;
  #isQueued = false;
  #closing: Promise<void> | undefined;

  constructor(own: readonly Contribution[], sources: readonly ToolSource[]) {
    this.#own = own;
    this.#sources = sources.map((source) => new WatchedSource(source, () => this.#queueRefresh()));
    this.#kinds = new Map(this.#sources.map(({ id, kind }) => [id, kind]));
    for (const source of this.#sources) source.read();
    this.#current = this.#build(1);
    const starts = this.#sources.map((source) => source.start(this.#stop.signal));
    this.#started = Promise.race([Promise.all(starts), whenAborted(this.#stop.signal)]).then(() => {
      this.refresh();
    });
  }

  get current(): Registry {
    return this.#current;
  }

  refresh(): Registry {
    if (this.#stop.signal.aborted) return this.#current;
    let hasNews = false;
    for (const source of this.#sources) if (source.read()) hasNews = true;
    if (!hasNews) return this.#current;
    this.#current = this.#build(this.#current.revision + 1);
    for (const listening of this.#listeners) this.#tell(listening);
    return this.#current;
  }

  subscribe(listener: (registry: Registry) => void): () => void {
    const listening: Listening = { listener, hasFailed: false };
    this.#listeners.add(listening);
    return () => this.#listeners.delete(listening);
  }

  started(): Promise<void> {
    return this.#started;
  }

  close(): Promise<void> {
    if (this.#closing) return this.#closing;
    // Known to be closing before anybody hears of it: who listens to the signal may close the registry too.
    this.#closing = Promise.resolve().then(async () => {
      await Promise.all(this.#sources.map((source) => source.close()));
    });
    this.#listeners.clear();
    this.#stop.abort();
    return this.#closing;
  }

  /** Any number of changes in one tick are one rebuild. */
  #queueRefresh(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      this.refresh();
    });
  }

  /** A listener that fails, now or later, breaks nothing; it is a warning from then on. */
  #tell(listening: Listening): void {
    const failed = (error: unknown): void => this.#noteFailure(listening, error);
    try {
      const answer: unknown = listening.listener(this.#current);
      if (isPromiseLike(answer)) answer.then(undefined, failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Once a listener: one that always fails is one warning. The Map and its revision stay as they are. */
  #noteFailure(listening: Listening, error: unknown): void {
    if (listening.hasFailed) return;
    listening.hasFailed = true;
    const warning = { code: "listener-failed", message: `A listener of the registry failed: ${thrownText(error)}` };
    this.#listenerWarnings = [...this.#listenerWarnings, warning];
    this.#current = Object.freeze({ ...this.#current, warnings: [...this.#current.warnings, warning] });
  }

  #build(revision: number): Registry {
    const merged = mergeTools([...this.#own, ...this.#sources.map((source) => source.contribution)]);
    return Object.freeze({
      revision,
      tools: merged.tools,
      shadowed: merged.shadowed,
      hidden: [...this.#sources.flatMap((source) => source.hidden), ...merged.hidden],
      sources: this.#sources.map((source) => source.state),
      sourceKinds: this.#kinds,
      down: merged.down,
      warnings: [...this.#sources.flatMap((source) => source.warnings), ...merged.warnings, ...this.#listenerWarnings],
    });
  }
}

/** One subscription: the same function may be subscribed twice. */
interface Listening {
  readonly listener: (registry: Registry) => void;
  hasFailed: boolean;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
