// The door "toolmap": public names in the order of the data flow.

export type { JsonObject, JsonValue } from "./core/json.ts";
export type { Clock } from "./core/clock.ts";
export { ToolmapError } from "./core/errors.ts";
export type { ErrorCode } from "./core/errors.ts";

// 1 define
export type { StandardSchema } from "./core/schema/author-schema.ts";
export { defineTool } from "./core/tool/define-tool.ts";
export { formatOrigin, formatToolExecutorRef } from "./core/tool/owner.ts";
export type { ToolExecutorRef, ToolOwnerRef } from "./core/tool/owner.ts";
export type { Availability, AvailabilityContext, AvailabilitySignal } from "./core/tool/availability.ts";
export { toToolProtocolDescriptor } from "./core/tool/descriptor.ts";
export type { ToolAnnotations, ToolDescriptor, ToolProtocolDescriptor } from "./core/tool/descriptor.ts";
export type { Content } from "./core/tool/content.ts";
export type { Caller, ToolCall } from "./core/tool/call.ts";
export type { CallRecord, Coercion, Outcome, ResourceKey, ResultDetails, ToolResult } from "./core/tool/result.ts";
export type { AgentTool, AnyTool, BoundTool, ProgressUpdate, ToolContext } from "./core/tool/tool.ts";
export type { HiddenReason, HiddenToolPlanEntry, ToolDiagnostic, Warning } from "./core/tool/diagnostic.ts";
export type { AssistantPart, Message } from "./core/tool/message.ts";

// 2 register
export { createToolRegistry } from "./core/registry/create-tool-registry.ts";
export type { SourceSnapshot, SourceStateName, ToolSource } from "./core/registry/source.ts";
export type { Registry, ShadowedTool, SourceState, ToolRegistry } from "./core/registry/registry.ts";

// 3 plan
export { evaluateToolAvailability } from "./core/plan/evaluate-availability.ts";
export { buildToolPlan } from "./core/plan/build-tool-plan.ts";
export { ToolPlanContractError } from "./core/plan/contract-error.ts";
export type { ToolPlan, ToolPlanEntry } from "./core/plan/plan.ts";

// 4 filter
export type { AskDefault, Places, PolicyLayer } from "./core/policy/policy.ts";

// 5 wrap
export type { AfterChange, BeforeDecision, Hook, HookContext, HookEvent, HookState } from "./core/hooks/hook.ts";

// 6 dispatch
export type { ApprovalAnswer, ApprovalOffer, ApprovalRequest, Approver, Prepared } from "./core/dispatch/approval.ts";
export type { Explanation, TraceStep, Verdict } from "./core/dispatch/explanation.ts";
export type { JournalPort, SecretsPort, SpillPort } from "./core/dispatch/ports.ts";

// 7 loop
export { createAgentSession } from "./core/session/create-agent-session.ts";
export { checkTranscript, repairTranscript } from "./core/session/repair-transcript.ts";
export type { RepairedTranscript, TranscriptChange } from "./core/session/repair-transcript.ts";
export type {
  AgentSession,
  DispatchOptions,
  EffectsPort,
  Limits,
  Ports,
  SessionLockPort,
  SessionOptions,
  SkippedTool,
  TokensPort,
  Turn,
} from "./core/session/agent-session.ts";
export type { EventOrigin, SessionEvent } from "./core/session/event.ts";
export type { Model, ModelPart, ModelRequest, ToolChoice, TranscriptRules, Usage } from "./core/session/model.ts";
export type { Run, RunResult, Stop } from "./core/session/run.ts";
