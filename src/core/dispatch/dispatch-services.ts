import type { Clock } from "../clock.ts";
import type { HookState } from "../hooks/hook.ts";
import type { HookSet } from "../hooks/hook-set.ts";
import type { WriteLock } from "../hooks/write-lock.ts";
import type { View } from "../policy/view.ts";
import type { Approver } from "./approval.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { CallEvent } from "./call-event.ts";
import type { CallLimits } from "./limits.ts";
import type { JournalPort, SecretsPort, SpillPort } from "./ports.ts";
import type { ResourceTable } from "./resource-table.ts";

/** What a session lends to its calls. */
export interface DispatchServices {
  readonly sessionId: string;
  readonly clock: Clock;
  readonly limits: CallLimits;
  readonly lock: WriteLock;
  readonly hooks: HookSet;
  readonly hookState: HookState;
  readonly resources: ResourceTable;
  readonly approvals: ApprovalDesk;
  readonly approver: Approver | undefined;
  readonly journal: JournalPort | undefined;
  readonly spill: SpillPort | undefined;
  readonly secrets: SecretsPort | undefined;
  readonly app: unknown;
  /** The newest view. */
  currentView(): View;
  /** Whether this conversation uses a visible tool now. */
  isActive(name: string): boolean;
  /** Why not every call may run; undefined in good health. */
  degradation(): Degradation | undefined;
  degrade(message: string): void;
  isClosed(): boolean;
  /** Undefined while nobody listens, so that no event is built for nobody. */
  emitter(): ((event: CallEvent, callId: string, turn: number | undefined) => void) | undefined;
}

/** Why a session runs only what changes nothing, or, once it is another process's, nothing at all. */
export interface Degradation {
  readonly message: string;
  readonly runsReadOnly: boolean;
}

/** The definitions and names that a call may count on, and which of them were sent to the model. */
export interface TurnScope {
  readonly view: View;
  /** Absent outside a turn: then the active tools of the moment count. */
  readonly sent?: ReadonlySet<string>;
  readonly turn?: number;
}
