import type { JsonObject, JsonValue } from "../json.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolResult } from "../tool/result.ts";

type Only<K extends string, T> = { readonly [P in K]: T } & {
  readonly [P in Exclude<"input" | "block" | "ask" | "result", K>]?: never;
};

/**
 * What a before-hook may say; exactly one of them. `input` is checked again at once, `block` ends the chain,
 * `ask` is sticky, `result` replaces the execute step and nothing else.
 */
export type BeforeDecision =
  | Only<"input", JsonObject>
  | Only<"block", string>
  | Only<"ask", string>
  | Only<"result", unknown>;

/** What an after-hook may change. It never turns an error into `ok`. */
export interface AfterChange {
  readonly content?: readonly Content[];
  readonly structuredContent?: JsonValue;
  readonly isError?: true;
}

/** Frozen; `input` is the checked input at that point of the chain. */
export interface HookEvent {
  readonly call: ToolCall & { readonly id: string };
  readonly tool: ToolDescriptor;
  readonly input: JsonObject;
  readonly caller: Caller;
}

/** A hook's hands. Once it has settled or its deadline has passed, `dispatch` and `state` throw `hook-expired`. */
export interface HookContext {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly sessionId: string;
  readonly dispatch: (call: ToolCall) => Promise<ToolResult>;
  /** The session's own JSON. */
  readonly state: HookState;
}
export interface HookState {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
}

type Maybe<T> = T | undefined | void | Promise<T | undefined | void>;

/** May change a call. A throw, a timeout or nonsense from `beforeToolCall` blocks it. */
export interface Hook {
  readonly name: string;
  /** Entries as in a policy layer; absent = every tool. */
  readonly tools?: readonly string[];
  /** Runs outside the session write lock. */
  readonly concurrent?: boolean;
  /** @default 5 seconds (limits.hookMs) */
  readonly timeoutMs?: number;
  beforeToolCall?(event: HookEvent, context: HookContext): Maybe<BeforeDecision>;
  afterToolCall?(event: HookEvent & { readonly result: ToolResult }, context: HookContext): Maybe<AfterChange>;
}
