import type { ApprovalAnswer, ApprovalRequest } from "../dispatch/approval.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolResult } from "../tool/result.ts";
import type { Usage } from "./model.ts";

/** Which session, turn and call, and when (milliseconds since the epoch). */
export interface EventOrigin {
  readonly sessionId: string;
  readonly turn?: number;
  readonly callId?: string;
  readonly at: number;
}

/** What observers see. A closed list. */
export type SessionEvent = EventOrigin &
  (
    | { readonly type: "turn-started" }
    | { readonly type: "turn-finished"; readonly results: readonly ToolResult[]; readonly usage?: Usage }
    | { readonly type: "text-delta" | "reasoning-delta"; readonly text: string }
    | { readonly type: "tool-input-started"; readonly name: string }
    | { readonly type: "tool-input-delta"; readonly text: string }
    | {
        readonly type: "tool-call-started";
        readonly call: ToolCall;
        readonly caller: Caller;
        readonly parentCallId?: string;
      }
    | {
        readonly type: "tool-call-progressed";
        readonly message?: string;
        readonly content?: readonly Content[];
        readonly progress?: number;
        readonly total?: number;
      }
    | { readonly type: "approval-requested"; readonly request: ApprovalRequest }
    | { readonly type: "approval-answered"; readonly id: string; readonly answer: ApprovalAnswer }
    | { readonly type: "tool-call-finished"; readonly result: ToolResult; readonly caller: Caller }
    | { readonly type: "registry-rebuilt"; readonly revision: number }
    | { readonly type: "plan-changed"; readonly added: readonly string[]; readonly removed: readonly string[] }
    | { readonly type: "source-changed"; readonly id: string; readonly state: string; readonly message?: string }
    | { readonly type: "loop-noticed"; readonly message: string }
    | { readonly type: "session-degraded"; readonly message: string }
    | { readonly type: "session-closed" }
    | { readonly type: "events-dropped"; readonly count: number }
  );
