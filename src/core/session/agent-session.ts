import type { Clock } from "../clock.ts";
import type { ApprovalAnswer, Approver, Prepared } from "../dispatch/approval.ts";
import type { Explanation } from "../dispatch/explanation.ts";
import type { JournalPort, SecretsPort, SpillPort } from "../dispatch/ports.ts";
import type { Hook } from "../hooks/hook.ts";
import type { JsonObject } from "../json.ts";
import type { ToolPlan } from "../plan/plan.ts";
import type { AskDefault, Places, PolicyLayer } from "../policy/policy.ts";
import type { Registry, ToolRegistry } from "../registry/registry.ts";
import type { ToolSource } from "../registry/source.ts";
import type { AvailabilityContext } from "../tool/availability.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolResult } from "../tool/result.ts";
import type { AnyTool, BoundTool } from "../tool/tool.ts";
import type { SessionEvent } from "./event.ts";
import type { Model, ToolChoice } from "./model.ts";
import type { Run } from "./run.ts";

/** Ownership of the session, taken once when it opens and held by lease. */
export interface SessionLockPort {
  open(sessionId: string): Promise<{ readonly fence: number; release(): Promise<void>; readonly lost: AbortSignal }>;
}

/** Counts what definitions cost. `estimated` is shown beside every figure. */
export interface TokensPort {
  readonly estimated: boolean;
  count(text: string): number;
}

/** What a call would do, for rules about effects. */
export interface EffectsPort {
  effectsOf(tool: ToolDescriptor, input: JsonObject): readonly JsonObject[] | Promise<readonly JsonObject[]>;
}

/** The world, each with a default that needs no I/O. */
export interface Ports {
  readonly clock?: Clock;
  readonly spill?: SpillPort;
  readonly journal?: JournalPort;
  readonly lock?: SessionLockPort;
  readonly secrets?: SecretsPort;
  readonly effects?: EffectsPort;
  readonly tokens?: TokensPort;
  readonly places?: Places;
}

export interface Limits {
  /** Model requests of one prompt. @default 50 */
  readonly turns?: number;
  /** Wall time of one prompt. @default none */
  readonly timeMs?: number;
  /** Input and output tokens of one prompt. @default none */
  readonly tokens?: number;
  /** @default 10 minutes */
  readonly toolMs?: number;
  /** @default 5 seconds */
  readonly hookMs?: number;
  /** @default 5 minutes */
  readonly approvalMs?: number;
  /** @default 5 minutes */
  readonly keyWaitMs?: number;
  /** @default 5 seconds */
  readonly graceMs?: number;
  /** UTF-8 bytes of one result's text. @default 64 KiB */
  readonly resultBytes?: number;
}

export interface SessionOptions<App = unknown> {
  readonly id?: string;
  readonly resume?: boolean;
  readonly ports?: Ports;
  readonly tools?: readonly AnyTool[];
  readonly sources?: readonly ToolSource[];
  /** In place of `tools` and `sources`: a registry that others share. */
  readonly registry?: ToolRegistry;
  readonly model?: Model;
  readonly systemPrompt?: string | ((tools: readonly ToolDescriptor[]) => string);
  readonly policy?: readonly PolicyLayer[];
  readonly availability?: AvailabilityContext;
  readonly hooks?: readonly Hook[];
  readonly approver?: Approver;
  readonly caller?: Omit<Caller, "kind">;
  readonly app?: App;
  readonly disableBuiltInTools?: boolean;
  readonly allowedToolNames?: readonly string[];
  readonly limits?: Limits;
  readonly defaults?: { readonly ask?: AskDefault };
}

export interface DispatchOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** An id that finished with the same name and input answers with its recorded result. */
  readonly once?: boolean;
  readonly approval?: ApprovalAnswer & { readonly prepared: Prepared };
}

/** For people with a loop of their own: the tools of one model request, and the calls of its answer. */
export interface Turn {
  readonly tools: readonly ToolDescriptor[];
  /** The caller is the model. Results in call order, one each. */
  dispatch(calls: readonly ToolCall[], options?: { readonly signal?: AbortSignal }): Promise<readonly ToolResult[]>;
}

export interface SkippedTool {
  readonly name: string;
  readonly reason: string;
}

/** A conversation's tools, hooks, lock, journal and loop. */
export interface AgentSession extends AsyncDisposable {
  readonly id: string;
  /** The whole view, hidden tools too; each `execute` is a dispatch by name. */
  readonly tools: ReadonlyMap<string, BoundTool>;
  plan(): ToolPlan;
  /** Dispatch stopped before the approval, hooks listed and not run. `as` @default the model */
  explain(name: string, input?: JsonObject, options?: { readonly as?: Caller["kind"] }): Promise<Explanation>;
  prepare(call: ToolCall): Promise<Prepared>;
  dispatch(call: ToolCall, options?: DispatchOptions): Promise<ToolResult>;
  dispatchBatch(
    calls: readonly ToolCall[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly ToolResult[]>;
  beginTurn(): Turn;
  prompt(
    text: string | readonly Content[],
    options?: { readonly signal?: AbortSignal; readonly toolChoice?: ToolChoice },
  ): Run;
  steer(text: string): void;
  abort(): void;
  setActiveToolsByName(names: readonly string[]): {
    readonly active: readonly string[];
    readonly skipped: readonly SkippedTool[];
  };
  getActiveToolNames(): readonly string[];
  getAllTools(): readonly ToolDescriptor[];
  refreshToolRegistry(): Registry;
  runWithSessionWriteLock<T>(work: () => T | Promise<T>): Promise<T>;
  child(options?: Omit<SessionOptions, "registry" | "tools" | "sources">): Promise<AgentSession>;
  observe(listener: (event: SessionEvent) => void): () => void;
  ready(options?: { readonly timeoutMs?: number }): Promise<ToolPlan["sources"]>;
  close(): Promise<{ readonly late: readonly { readonly callId: string; readonly name: string }[] }>;
}
