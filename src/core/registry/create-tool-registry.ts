import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { HiddenToolPlanEntry } from "../tool/diagnostic.ts";
import type { AnyTool } from "../tool/tool.ts";
import { inspectTool } from "./inspect-tool.ts";
import { canonicalNameOf, type Contribution, mergeTools } from "./merge-tools.ts";
import type { Registry, SourceState, ToolRegistry } from "./registry.ts";
import type { SourceSnapshot, ToolSource } from "./source.ts";

export interface ToolRegistryOptions {
  /** The program's own. Two of one name, or a malformed one, throw. */
  readonly tools?: readonly AnyTool[];
  readonly sources?: readonly ToolSource[];
}

/**
 * A registry over the program's own tools and any number of sources. Starts the sources and does not wait for them; a
 * source that fails, now or later, is `down` and takes nothing else with it. Throws ToolmapError `bad-source`, `bad-tool`,
 * `duplicate-tool-name`.
 */
export function createToolRegistry({ tools = [], sources = [] }: ToolRegistryOptions = {}): ToolRegistry {
  return new LiveRegistry(ownContributions(tools), sources);
}

class LiveRegistry implements ToolRegistry {
  readonly #own: readonly Contribution[];
  readonly #sources: readonly WatchedSource[];
  readonly #kinds: Registry["sourceKinds"];
  readonly #listeners = new Set<(registry: Registry) => void>();
  readonly #stop = new AbortController();
  readonly #started: Promise<void>;
  #current: Registry;
  #isQueued = false;

  constructor(own: readonly Contribution[], sources: readonly ToolSource[]) {
    this.#own = own;
    assertSources(sources);
    this.#sources = sources.map((source) => new WatchedSource(source, () => this.#queueRefresh()));
    this.#kinds = new Map(sources.map(({ id, kind }) => [id, kind]));
    for (const source of this.#sources) source.read();
    this.#current = this.#build(1);
    this.#started = Promise.all(this.#sources.map((source) => source.start(this.#stop.signal))).then(() => {
      this.refresh();
    });
  }

  get current(): Registry {
    return this.#current;
  }

  refresh(): Registry {
    if (this.#stop.signal.aborted) return this.#current;
    let hasChanged = false;
    for (const source of this.#sources) if (source.read()) hasChanged = true;
    if (!hasChanged) return this.#current;
    this.#current = this.#build(this.#current.revision + 1);
    for (const listener of this.#listeners) tell(listener, this.#current);
    return this.#current;
  }

  subscribe(listener: (registry: Registry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  started(): Promise<void> {
    return this.#started;
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#listeners.clear();
    await Promise.all(this.#sources.map((source) => source.close()));
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
      warnings: merged.warnings,
    });
  }
}

/** A listener that throws breaks nothing. */
function tell(listener: (registry: Registry) => void, registry: Registry): void {
  try {
    listener(registry);
  } catch {
    // The registry has no channel of its own to report it, and a listener must not stop a rebuild.
  }
}

/** The program's own tools by owner: most are custom; a built-in passed as a tool stays a built-in. */
function ownContributions(tools: readonly AnyTool[]): readonly Contribution[] {
  const seen = new Map<string, string>();
  const byKind = new Map<Contribution["kind"], AnyTool[]>();
  for (const tool of tools) {
    const kind =
      isRecord(tool) && isRecord(tool.descriptor) && isRecord(tool.descriptor.owner)
        ? tool.descriptor.owner.kind
        : "custom";
    const fault = inspectTool(tool, kind);
    if (fault) throw new ToolmapError("bad-tool", `A tool of the program cannot be used: ${fault.message}.`);
    const key = canonicalNameOf(tool);
    const other = seen.get(key);
    if (other !== undefined) {
      throw new ToolmapError(
        "duplicate-tool-name",
        `The program passed two tools named "${other}" and "${tool.descriptor.name}".`,
        {
          fix: "Rename one: case, dashes and underscores do not tell names apart.",
        },
      );
    }
    seen.set(key, tool.descriptor.name);
    byKind.set(kind, [...(byKind.get(kind) ?? []), tool]);
  }
  return [...byKind].map(([kind, own]) => ({ sourceId: "program", kind, tools: own, isDown: false }));
}

function assertSources(sources: readonly ToolSource[]): void {
  const ids = new Set<string>();
  for (const source of sources) {
    const given: unknown = source;
    if (
      !isRecord(given) ||
      typeof given["id"] !== "string" ||
      given["id"] === "" ||
      typeof given["list"] !== "function"
    ) {
      throw new ToolmapError("bad-source", "A source must be an object with an id and a list function.");
    }
    if (ids.has(source.id))
      throw new ToolmapError("bad-source", `Two sources have the id "${source.id}".`, { fix: "Give each its own." });
    ids.add(source.id);
  }
}

const NEVER_ANSWERED: SourceSnapshot = Object.freeze({ tools: [], state: "starting" });

/** A source, its last good snapshot, and what of it can be used. */
class WatchedSource {
  readonly #source: ToolSource;
  readonly #changed: () => void;
  readonly #unsubscribe: () => void;
  #snapshot: SourceSnapshot = NEVER_ANSWERED;
  #tools: readonly AnyTool[] = [];
  /** Why it does not answer: its start, its list or its snapshot failed. */
  #failure: string | undefined;
  #lastFailure: string | undefined;
  hidden: readonly HiddenToolPlanEntry[] = [];

  constructor(source: ToolSource, changed: () => void) {
    this.#source = source;
    this.#changed = changed;
    this.#unsubscribe = subscribeSafely(source, changed);
  }

  get contribution(): Contribution {
    const { id: sourceId, kind } = this.#source;
    return { sourceId, kind, tools: this.#tools, isDown: this.state.state === "down" };
  }

  get state(): SourceState {
    const { id } = this.#source;
    if (this.#failure !== undefined) return { id, state: "down", message: this.#failure };
    const { state, message } = this.#snapshot;
    return message === undefined ? { id, state } : { id, state, message };
  }

  /** Takes the source's newest snapshot; keeps the last good one when it fails. Says whether anything changed. */
  read(): boolean {
    const { snapshot, failure } = listSafely(this.#source);
    this.#failure = failure ?? (snapshot === undefined || snapshot.state === "ready" ? undefined : this.#failure);
    const hasChanged = (snapshot !== undefined && snapshot !== this.#snapshot) || this.#failure !== this.#lastFailure;
    this.#lastFailure = this.#failure;
    if (snapshot !== undefined && snapshot !== this.#snapshot) this.#take(snapshot);
    return hasChanged;
  }

  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#source.start?.(signal);
    } catch (error) {
      this.#failure = `it did not start: ${describe(error)}`;
      this.#lastFailure = undefined;
      this.#changed();
    }
  }

  async close(): Promise<void> {
    try {
      this.#unsubscribe();
      await this.#source.close?.();
    } catch {
      // Closing is the last thing asked of it; one that fails must not keep the others open.
    }
  }

  #take(snapshot: SourceSnapshot): void {
    this.#snapshot = snapshot;
    const hidden: HiddenToolPlanEntry[] = [...(snapshot.hidden ?? [])];
    const isSound = (tool: AnyTool): boolean => {
      const fault = inspectTool(tool, this.#source.kind);
      if (fault)
        hidden.push({ descriptor: fault.descriptor, diagnostics: [{ reason: fault.reason, message: fault.message }] });
      return fault === undefined;
    };
    this.#tools = snapshot.tools.filter(isSound);
    this.hidden = hidden;
  }
}

function listSafely(source: ToolSource): { readonly snapshot?: SourceSnapshot; readonly failure?: string } {
  try {
    const snapshot: unknown = source.list();
    if (isRecord(snapshot) && Array.isArray(snapshot["tools"]) && isState(snapshot["state"])) {
      return { snapshot: snapshot as unknown as SourceSnapshot };
    }
    return { failure: "its list is not a snapshot: it must be { tools, state }" };
  } catch (error) {
    return { failure: `its list failed: ${describe(error)}` };
  }
}

function isState(value: unknown): boolean {
  return value === "ready" || value === "starting" || value === "down";
}

function subscribeSafely(source: ToolSource, changed: () => void): () => void {
  try {
    const unsubscribe: unknown = source.subscribe(changed);
    return typeof unsubscribe === "function" ? () => void unsubscribe() : () => undefined;
  } catch {
    return () => undefined;
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : "unknown";
}
