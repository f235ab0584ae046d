import type { SourceState } from "../registry/registry.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenToolPlanEntry, Warning } from "../tool/diagnostic.ts";
import type { ToolExecutorRef } from "../tool/owner.ts";

/** A visible tool: visible means callable, so an executor is always there. */
export interface ToolPlanEntry {
  readonly descriptor: ToolDescriptor;
  readonly executor: ToolExecutorRef;
}

/** Visible and hidden tools, sorted alike, each hidden one with every reason. */
export interface ToolPlan {
  readonly visible: readonly ToolPlanEntry[];
  readonly hidden: readonly HiddenToolPlanEntry[];
  readonly sources: readonly SourceState[];
  readonly warnings: readonly Warning[];
}
