import type { CallEvent } from "../dispatch/call-event.ts";
import type { ToolResult } from "../tool/result.ts";
import type { Usage } from "./model.ts";

/** Which session, turn and call, and when (milliseconds since the epoch). */
export interface EventOrigin {
  readonly sessionId: string;
  readonly turn?: number;
  readonly callId?: string;
  readonly at: number;
}

/** What happened, without where and when. */
export type EventBody =
  | CallEvent
  | { readonly type: "turn-started" }
  | { readonly type: "turn-finished"; readonly results: readonly ToolResult[]; readonly usage?: Usage }
  | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
  | { readonly type: "tool-input-started"; readonly name: string }
  | { readonly type: "tool-input-delta"; readonly text: string }
  | { readonly type: "registry-rebuilt"; readonly revision: number }
  | { readonly type: "plan-changed"; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly type: "source-changed"; readonly id: string; readonly state: string; readonly message?: string }
  | { readonly type: "session-closed" }
  | { readonly type: "events-dropped"; readonly count: number };

/** What observers see. A closed list. */
export type SessionEvent = EventOrigin & EventBody;
