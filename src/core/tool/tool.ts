import type { JsonObject } from "../json.ts";
import type { Caller, ToolCall } from "./call.ts";
import type { Content } from "./content.ts";
import type { ToolDescriptor } from "./descriptor.ts";
import type { CallRecord, ResourceKey, ToolResult } from "./result.ts";

/** What a running tool reports; the last one is the content of a cancelled call. */
export interface ProgressUpdate {
  readonly message?: string;
  readonly content?: readonly Content[];
  readonly progress?: number;
  readonly total?: number;
}

/** What `execute` receives beside its input. Its functions may be taken out of it: `({ city }, { progress })`. */
export interface ToolContext<App = unknown> {
  readonly callId: string;
  readonly caller: Caller;
  /** Aborts when the call is cancelled or its deadline passes. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** The same for every attempt at the same call. */
  readonly idempotencyKey: string;
  /** The program's own, typed. */
  readonly app: App;
  /** Dropped once the call is settled. */
  readonly progress: (update: ProgressUpdate) => void;
  /** A nested call: inherits caller, abort, remaining deadline, approver and held keys. */
  readonly dispatch: (call: ToolCall) => Promise<ToolResult>;
  /** The only way to a secret; its value is masked in this call's results. Rejects with `unknown-secret`. */
  readonly secret: (name: string) => Promise<string>;
}

/** The answer of an author's own validation, in the shape of Standard Schema. */
export type AuthorValidation =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly AuthorIssue[] };
export interface AuthorIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Where `defineTool` keeps the author's `validate`: a symbol, so that a spread copy of a tool keeps it too. */
export const AUTHOR_VALIDATE: unique symbol = Symbol.for("toolmap.validate");

/**
 * A descriptor and its code. All but the descriptor is never serialised.
 * I: what `execute` receives. J: the checked JSON input, which hooks, keys and previews see.
 */
export interface AgentTool<I = JsonObject, J = JsonObject> {
  readonly descriptor: ToolDescriptor;
  /** Returns anything, or a promise of it; a throw is the call's `error`. */
  execute(input: I, context: ToolContext): unknown;
  resources?(input: J): readonly ResourceKey[];
  preview?(input: J): Promise<readonly Content[]>;
  revert?(record: CallRecord): Promise<void>;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  /** Conflicts with every other call. */
  readonly exclusive?: boolean;
  /** May take the name of a core tool. */
  readonly override?: boolean;
  readonly [AUTHOR_VALIDATE]?: (input: unknown) => AuthorValidation | PromiseLike<AuthorValidation>;
}

/** Any tool. `never`, so that a tool of every input type fits (parameters of methods are compared both ways). */
export type AnyTool = AgentTool<never, never>;

/** What `session.tools` holds: `execute` is a dispatch by name. */
export interface BoundTool extends AgentTool {
  execute(input: unknown, context?: Partial<ToolContext>): Promise<ToolResult>;
}
