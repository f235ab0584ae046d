import type { AvailabilitySignal } from "./availability.ts";
import type { ToolDescriptor } from "./descriptor.ts";

/** Why a tool is hidden. A closed list. */
export type HiddenReason =
  | "auth-missing"
  | "config-missing"
  | "env-missing"
  | "plugin-disabled"
  | "context-mismatch"
  | "unsupported-signal"
  | "duplicate-tool-name"
  | "missing-executor"
  | "policy"
  | "schema-unfit"
  | "name-clash"
  | "definition-changed"
  | "server-starting"
  | "server-down"
  | "over-budget";

/** One reason in words. `source` is `file:line` where there is one. */
export interface ToolDiagnostic {
  readonly reason: HiddenReason;
  readonly message: string;
  readonly signal?: AvailabilitySignal;
  readonly source?: string;
}

/** What creation and lint have to say. The core prints nothing. */
export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly fix?: string;
  readonly source?: string;
}

/** A hidden tool and every reason for it. */
export interface HiddenToolPlanEntry {
  readonly descriptor: ToolDescriptor;
  readonly diagnostics: readonly ToolDiagnostic[];
}
