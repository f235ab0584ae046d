import type { JsonObject } from "../json.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolResult } from "../tool/result.ts";

/** A scope that an approver may remember its answer for. */
export interface ApprovalOffer {
  readonly scope: "once" | "session" | "always";
  readonly rule?: string;
}

/** What an approver is shown. `digest` binds definition, input, rules, session, caller and preview; not the call id. */
export interface ApprovalRequest {
  readonly id: string;
  readonly call: ToolCall & { readonly id: string };
  readonly tool: ToolDescriptor;
  readonly input: JsonObject;
  readonly caller: Caller;
  readonly reason: string;
  readonly rule?: string;
  readonly preview?: readonly Content[];
  readonly digest: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly offers: readonly ApprovalOffer[];
}

export interface ApprovalAnswer {
  readonly answer: "approved" | "rejected";
  readonly offer?: ApprovalOffer;
  readonly message?: string;
  readonly by?: string;
}

/** Answers an ask. A throw or no answer in time is a rejection (`expired`); an abort of the call withdraws the request. */
export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** A call taken up to its approval. JSON: it may travel to another process. No credential. */
export type Prepared =
  | {
      readonly verdict: "allow" | "ask";
      readonly callId: string;
      readonly name: string;
      readonly input: JsonObject;
      readonly digest: string;
      readonly reason: string;
      readonly preview?: readonly Content[];
      readonly expiresAt: string;
    }
  | {
      readonly verdict: "deny" | "settled";
      readonly callId: string;
      readonly reason: string;
      readonly result: ToolResult;
    };
