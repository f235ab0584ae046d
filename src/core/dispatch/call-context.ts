import { ToolmapError } from "../errors.ts";
import { freezeJson, type JsonObject } from "../json.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import type { ProgressUpdate, ToolContext } from "../tool/tool.ts";
import type { CallRun } from "./call-run.ts";
import { maskerOf } from "./mask-secrets.ts";
import { readProgress } from "./read-progress.ts";

/** What an executor receives. Members are made when they are first read: most executors read none. */
export class CallContext implements ToolContext {
  readonly #run: CallRun;

  constructor(run: CallRun) {
    this.#run = run;
  }

  /** The executor has settled, or its call was answered: progress is dropped from here on. */
  settle(): void {
    this.#run.hasExecuted = true;
  }

  get callId(): string {
    return this.#run.callId;
  }
  get caller(): Caller {
    return this.#run.caller;
  }
  get signal(): AbortSignal {
    return this.#run.signal;
  }
  get deadline(): number {
    return this.#run.deadline;
  }
  get idempotencyKey(): string {
    return `${this.#run.sessionId}:${this.#run.callId}`;
  }
  get app(): unknown {
    return this.#run.services.app;
  }

  /** Getters, so that `const { progress } = context` keeps working. */
  get progress(): (update: ProgressUpdate) => void {
    return (update) => this.#progress(update);
  }
  get dispatch(): (call: ToolCall) => Promise<ToolResult> {
    return (call) => this.#run.dispatchNested(call)[0];
  }
  get secret(): (name: string) => Promise<string> {
    return (name) => this.#secret(name);
  }

  #progress(update: ProgressUpdate): void {
    if (this.#run.hasExecuted) return;
    this.#run.lastProgress = readProgress(update);
    this.#run.onProgress?.();
    if (this.#run.services.emitter()) this.#run.emit({ ...this.#masked(), type: "tool-call-progressed" });
  }

  /** Observers see no secret either. */
  #masked(): ProgressUpdate {
    const { secrets, lastProgress = {} } = this.#run;
    // An update is JSON, and with each text of it masked it still is one.
    return secrets ? freezeJson(maskerOf(secrets)(lastProgress as JsonObject) as ProgressUpdate) : lastProgress;
  }

  async #secret(name: string): Promise<string> {
    const value = await this.#run.services.secrets?.get(name);
    if (value === undefined || value === "") {
      throw new ToolmapError("unknown-secret", `The secret "${name}" is missing.`, {
        fix: `Store a value under "${name}" where the secrets port looks.`,
      });
    }
    this.#run.secrets ??= new Map();
    this.#run.secrets.set(name, value);
    return value;
  }
}
