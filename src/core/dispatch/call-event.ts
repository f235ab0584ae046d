import type { Caller, ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import type { ProgressUpdate } from "../tool/tool.ts";
import type { ApprovalAnswer, ApprovalRequest } from "./approval.ts";

/** What a dispatch reports. The session adds where and when. */
export type CallEvent =
  | {
      readonly type: "tool-call-started";
      readonly call: ToolCall;
      readonly caller: Caller;
      readonly parentCallId?: string;
    }
  | ({ readonly type: "tool-call-progressed" } & ProgressUpdate)
  | { readonly type: "approval-requested"; readonly request: ApprovalRequest }
  | { readonly type: "approval-answered"; readonly id: string; readonly answer: ApprovalAnswer }
  | { readonly type: "tool-call-finished"; readonly result: ToolResult; readonly caller: Caller }
  | { readonly type: "loop-noticed"; readonly message: string }
  | { readonly type: "session-degraded"; readonly message: string };
