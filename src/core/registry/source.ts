import type { HiddenToolPlanEntry } from "../tool/diagnostic.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";

/** `starting`: never answered yet. `down`: not answering now; its last tools stay until it gives up. */
export type SourceStateName = "ready" | "starting" | "down";

/** A source's last known state. */
export interface SourceSnapshot {
  readonly tools: readonly AnyTool[];
  readonly state: SourceStateName;
  readonly hidden?: readonly HiddenToolPlanEntry[];
  readonly message?: string;
}

/** What contributes tools and says when they change. */
export interface ToolSource {
  readonly id: string;
  readonly kind: ToolOwnerRef["kind"];
  /** Synchronous and cheap: the last known state, the same object while nothing changed. */
  list(): SourceSnapshot;
  /** Calls `changed` after each change of what `list` returns; returns the unsubscription. */
  subscribe(changed: () => void): () => void;
  start?(signal: AbortSignal): Promise<void>;
  close?(): Promise<void>;
}
