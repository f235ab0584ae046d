import type { HiddenToolPlanEntry, Warning } from "../tool/diagnostic.ts";
import { type HeldTool, inspectHidden, inspectTool } from "./inspect-tool.ts";
import type { Contribution } from "./merge-tools.ts";
import { type GivenSnapshot, isSameSnapshot, readSnapshot } from "./read-snapshot.ts";
import type { SourceState } from "./registry.ts";
import type { ToolSource } from "./source.ts";
import { thrownText } from "./thrown-text.ts";

const NEVER_ANSWERED: GivenSnapshot = Object.freeze({ tools: [], hidden: [], state: "starting", message: undefined });

/** A source, its last good snapshot, and what of it can be used. Nothing that the source does throws out of here. */
export class WatchedSource {
  readonly id: string;
  readonly kind: Contribution["kind"];
  readonly #source: ToolSource;
  readonly #changed: () => void;
  readonly #unsubscribe: () => void;
  #given: GivenSnapshot = NEVER_ANSWERED;
  #tools: readonly HeldTool[] = [];
  #hidden: readonly HiddenToolPlanEntry[] = [];
  #listFailure: string | undefined;
  /** Until the source says, after its start failed, that it is ready. */
  #startFailure: string | undefined;
  #hasNews = true;
  #isReading = false;
  readonly warnings: readonly Warning[];

  constructor(source: ToolSource, changed: () => void) {
    this.id = source.id;
    this.kind = source.kind;
    this.#source = source;
    this.#changed = changed;
    // One that says so whenever it is read would be read for ever.
    const { unsubscribe, failure } = subscribeTo(source, () => {
      if (!this.#isReading) changed();
    });
    this.#unsubscribe = unsubscribe;
    this.warnings = failure === undefined ? [] : [silentWarning(source.id, failure)];
  }

  get contribution(): Contribution {
    return { sourceId: this.id, kind: this.kind, tools: this.#tools, isDown: this.state.state === "down" };
  }

  get hidden(): readonly HiddenToolPlanEntry[] {
    return this.#hidden;
  }

  get state(): SourceState {
    const failure = this.#listFailure ?? this.#startFailure;
    if (failure !== undefined) return { id: this.id, state: "down", message: failure };
    const { state, message } = this.#given;
    return message === undefined ? { id: this.id, state } : { id: this.id, state, message };
  }

  /** Takes the source's newest snapshot; keeps the last good one when it fails. Says whether anything changed since the last time. */
  read(): boolean {
    this.#absorb();
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }

  /** Settles when the source's start has settled, or was given up. Never rejects. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#source.start?.(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.#absorb(); // what it said before it failed is no sign that it has recovered
      this.#startFailure = `it did not start: ${thrownText(error)}`;
      this.#hasNews = true;
      this.#changed();
    }
  }

  async close(): Promise<void> {
    // One that fails to close must not keep the others open, and there is nobody left to tell.
    const ignore = (): undefined => undefined;
    await Promise.resolve().then(this.#unsubscribe).catch(ignore);
    await Promise.resolve()
      .then(() => this.#source.close?.())
      .catch(ignore);
  }

  #absorb(): void {
    this.#isReading = true;
    const read = readSnapshot(this.#source);
    this.#isReading = false;
    const failure = "failure" in read ? read.failure : undefined;
    if (failure !== this.#listFailure) this.#hasNews = true;
    this.#listFailure = failure;
    if ("failure" in read || isSameSnapshot(read.given, this.#given)) return;
    this.#hasNews = true;
    if (read.given.state === "ready") this.#startFailure = undefined;
    this.#take(read.given);
  }

  #take(given: GivenSnapshot): void {
    const tools: HeldTool[] = [];
    const hidden = given.hidden.map((entry) => inspectHidden(entry, this));
    for (const tool of given.tools) {
      const inspection = inspectTool(tool, this);
      if ("held" in inspection) {
        tools.push(inspection.held);
        continue;
      }
      const { descriptor, reason, message } = inspection.fault;
      hidden.push({ descriptor, diagnostics: [{ reason, message }] });
    }
    this.#given = given;
    this.#tools = tools;
    this.#hidden = hidden;
  }
}

function subscribeTo(
  source: ToolSource,
  changed: () => void,
): { readonly unsubscribe: () => void; readonly failure?: string } {
  try {
    const unsubscribe: unknown = source.subscribe(() => {
      changed();
    });
    if (typeof unsubscribe === "function") return { unsubscribe: () => void unsubscribe() };
    return { unsubscribe: () => undefined };
  } catch (error) {
    return { unsubscribe: () => undefined, failure: thrownText(error) };
  }
}

function silentWarning(id: string, failure: string): Warning {
  return {
    code: "source-silent",
    message: `Source "${id}" will not say when it changes: its subscribe failed (${failure})`,
    fix: "Mend its subscribe; until then only refreshToolRegistry() sees its changes.",
  };
}
