import type { HiddenToolPlanEntry, Warning } from "../tool/diagnostic.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { SourceStateName } from "./source.ts";

/** A tool that another one of the same canonical name took the place of. */
export interface ShadowedTool {
  readonly name: string;
  readonly origin: string;
  readonly by: string;
}

/** A source's state, as plans show it. */
export interface SourceState {
  readonly id: string;
  readonly state: SourceStateName;
  readonly message?: string;
}

/** The immutable Map of one moment. Rebuilt whole, never patched. */
export interface Registry {
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly revision: number;
  readonly shadowed: readonly ShadowedTool[];
  /** What never entered the Map, with the reason: clashes, duplicates, servers that never answered. */
  readonly hidden: readonly HiddenToolPlanEntry[];
  readonly sources: readonly SourceState[];
  /** What each source contributes, by its id. */
  readonly sourceKinds: ReadonlyMap<string, ToolOwnerRef["kind"]>;
  /** Names of tools in the Map whose source is down now, each with the id of that source. */
  readonly down: ReadonlyMap<string, string>;
  readonly warnings: readonly Warning[];
}

/** Lives: sources come and go, `current` is swapped. Shared by sessions, parents and children. */
export interface ToolRegistry {
  readonly current: Registry;
  /** Rebuilds from the sources' last snapshots and swaps. Synchronous. Keeps `current` when nothing changed. */
  refresh(): Registry;
  subscribe(listener: (registry: Registry) => void): () => void;
  /** Settles when every source's `start` has settled; none of them rejects it. */
  started(): Promise<void>;
  close(): Promise<void>;
}
