import type { Clock } from "../clock.ts";
import type { Prepared } from "../dispatch/approval.ts";
import { cancelOnAbort, openBatch } from "../dispatch/batch.ts";
import type { CallRun, StartOptions } from "../dispatch/call-run.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { TurnScope } from "../dispatch/dispatch-services.ts";
import { explain } from "../dispatch/explain.ts";
import type { Explanation } from "../dispatch/explanation.ts";
import { LoopGuard } from "../dispatch/loop-guard.ts";
import { prepare } from "../dispatch/prepare.ts";
import type { GivenCall } from "../dispatch/read-call.ts";
import { ToolmapError } from "../errors.ts";
import type { WriteLock } from "../hooks/write-lock.ts";
import type { JsonObject } from "../json.ts";
import type { ToolPlan } from "../plan/plan.ts";
import type { View } from "../policy/view.ts";
import type { Registry, ToolRegistry } from "../registry/registry.ts";
import type { Caller, ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { Warning } from "../tool/diagnostic.ts";
import type { ToolResult } from "../tool/result.ts";
import type { BoundTool } from "../tool/tool.ts";
import type { AgentSession, DispatchOptions, SessionOptions, SkippedTool, Turn } from "./agent-session.ts";
import { bindTools } from "./bind-tools.ts";
import { Conversation, type ConversationTurn } from "./conversation.ts";
import { type Entrance, ENTRANCE } from "./entrance.ts";
import type { SessionEvent } from "./event.ts";
import type { EventHub } from "./event-hub.ts";
import type { ToolChoice } from "./model.ts";
import type { Resumed } from "./resume.ts";
import type { Run } from "./run.ts";
import type { SessionHealth } from "./session-health.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { SessionView } from "./session-view.ts";
import { openTurnBatch, type PinnedTurn, type TurnBatch } from "./turn.ts";

/** What createAgentSession has put together for a session. */
export interface SessionParts {
  readonly id: string;
  readonly options: SessionOptions;
  readonly clock: Clock;
  readonly lock: WriteLock;
  readonly hub: EventHub;
  readonly health: SessionHealth;
  readonly registry: ToolRegistry;
  readonly view: SessionView;
  readonly dispatcher: Dispatcher;
  readonly recorder: SessionRecorder;
  /** How many turns are on record. */
  readonly turns: number;
  /** The conversation to go on with. */
  readonly resumed: Resumed | undefined;
  readonly graceMs: number;
  /** What creation and lint have to say about a view. */
  warningsOf(view: View): readonly Warning[];
  /** Makes a child of this session. `forget` is called once it has closed. */
  createChild(options: SessionOptions, forget: () => void): Promise<AgentSession>;
  /** Gives back what creation took: the registry if it is private, the lock of the session. */
  release(): Promise<void>;
}

/** A conversation's tools, hooks, lock and loop. Holds state and delegates the work. */
export class Session implements AgentSession {
  readonly id: string;
  readonly #parts: SessionParts;
  readonly #callers: { readonly program: Caller; readonly model: Caller };
  readonly #guard = new LoopGuard();
  readonly #conversation: Conversation | undefined;
  readonly #children = new Set<AgentSession>();
  #scope: TurnScope | undefined;
  #plain: StartOptions | undefined;
  #bound: { readonly view: View; readonly tools: ReadonlyMap<string, BoundTool> } | undefined;
  #plan: { readonly view: View; readonly plan: ToolPlan } | undefined;
  #turns: number;
  #closing: ReturnType<Session["close"]> | undefined;
  #tellClosing: () => void = () => undefined;
  /** Settles when the session begins to close: nobody waits for its sources any longer. */
  readonly #whenClosing = new Promise<void>((resolve) => {
    this.#tellClosing = resolve;
  });

  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#turns = parts.turns;
    const { caller = {}, model } = parts.options;
    this.#callers = {
      program: Object.freeze({ ...caller, kind: "program" }),
      model: Object.freeze({ ...caller, kind: "model" }),
    };
    this.#conversation = model && new Conversation(parts, model, () => this.#beginLoopTurn());
  }

  /** For entrances whose caller is not the program. */
  get [ENTRANCE](): Entrance {
    return { dispatch: (call, options) => this.#start(call, options) };
  }

  // ---------------------------------------------------------------- what there is

  get tools(): ReadonlyMap<string, BoundTool> {
    const view = this.#parts.view.current;
    if (this.#bound?.view === view) return this.#bound.tools;
    const tools = bindTools(view, {
      currentView: () => this.#parts.view.current,
      dispatch: (call, options) => this.#start(call, { caller: this.#callers.program, ...options }),
    });
    this.#bound = { view, tools };
    return tools;
  }

  plan(): ToolPlan {
    const view = this.#parts.view.current;
    const warnings = [...this.#parts.warningsOf(view), ...view.plan.warnings];
    if (this.#plan?.view === view && this.#plan.plan.warnings.length === warnings.length) return this.#plan.plan;
    const plan: ToolPlan = Object.freeze({ ...view.plan, warnings: Object.freeze(warnings) });
    this.#plan = { view, plan };
    return plan;
  }

  getAllTools(): readonly ToolDescriptor[] {
    return [...this.#parts.view.current.entries.values()].map(({ descriptor }) => descriptor);
  }

  getActiveToolNames(): readonly string[] {
    return [...this.#parts.view.active.names];
  }

  setActiveToolsByName(names: readonly string[]): {
    readonly active: readonly string[];
    readonly skipped: readonly SkippedTool[];
  } {
    return this.#parts.view.setActive(names);
  }

  refreshToolRegistry(): Registry {
    return this.#parts.registry.refresh();
  }

  async ready({ timeoutMs }: { readonly timeoutMs?: number } = {}): Promise<ToolPlan["sources"]> {
    const { registry, clock } = this.#parts;
    let cancel = (): void => undefined;
    const waits = [registry.started(), this.#whenClosing];
    if (timeoutMs !== undefined) {
      waits.push(
        new Promise((resolve) => {
          cancel = clock.after(timeoutMs, resolve);
        }),
      );
    }
    await Promise.race(waits);
    cancel();
    return this.plan().sources;
  }

  // ---------------------------------------------------------------- one call

  dispatch(call: ToolCall, options?: DispatchOptions): Promise<ToolResult> {
    const { dispatcher } = this.#parts;
    if (options === undefined) return dispatcher.run(dispatcher.open(call, this.#plainStart()));
    // A prepared call is a model's: its approval is bound to that caller.
    const caller = options.approval ? this.#callers.model : this.#callers.program;
    const { signal, timeoutMs, once, approval } = options;
    return this.#start(call, { caller, signal, timeoutMs, once, approval });
  }

  async prepare(call: ToolCall): Promise<Prepared> {
    return prepare(this.#parts.dispatcher.open(call, { caller: this.#callers.model, scope: this.#currentScope() }));
  }

  async explain(
    name: string,
    input?: JsonObject,
    { as = "model" }: { readonly as?: Caller["kind"] } = {},
  ): Promise<Explanation> {
    const caller: Caller = Object.freeze({ ...this.#parts.options.caller, kind: as });
    const call: ToolCall = input === undefined ? { name } : { name, input };
    return explain(this.#parts.dispatcher.open(call, { caller, scope: this.#currentScope() }));
  }

  #start(
    call: ToolCall,
    options: Omit<StartOptions, "scope"> & { readonly signal?: AbortSignal | undefined },
  ): Promise<ToolResult> {
    const { dispatcher } = this.#parts;
    // Named one by one: a spread of options costs more than the whole look-up.
    const { caller, signal, timeoutMs, once, approval, refusal } = options;
    const run = dispatcher.open(call, { caller, scope: this.#currentScope(), timeoutMs, once, approval, refusal });
    return signal ? this.#runUntilAborted(run, signal) : dispatcher.run(run);
  }

  async #runUntilAborted(run: CallRun, signal: AbortSignal): Promise<ToolResult> {
    const stopListening = cancelOnAbort([run], signal);
    const result = await this.#parts.dispatcher.run(run);
    stopListening?.();
    return result;
  }

  // ---------------------------------------------------------------- the calls of an answer

  dispatchBatch(
    calls: readonly ToolCall[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly ToolResult[]> {
    const caller = this.#callers.program;
    return openBatch(this.#parts.dispatcher, calls, { caller, scope: this.#currentScope(), signal }).run();
  }

  beginTurn(): Turn {
    this.#assertOpen("begin a turn");
    const turn = this.#pinTurn();
    return Object.freeze<Turn>({
      tools: turn.tools,
      dispatch: async (calls, { signal } = {}) => (await this.#openBatch(turn, calls, { signal }).run()).results,
    });
  }

  #beginLoopTurn(): ConversationTurn {
    const turn = this.#pinTurn();
    const { number, tools, scope } = turn;
    return {
      number,
      tools,
      scope,
      open: (calls) => this.#openBatch(turn, calls, {}),
      reopen: (calls) => this.#openBatch(turn, calls, { isOnRecord: true }),
    };
  }

  /** A turn begins when its tool list is read for a model request. */
  #pinTurn(): PinnedTurn {
    const { view, descriptors, names } = this.#parts.view.active;
    this.#turns += 1;
    return { number: this.#turns, tools: descriptors, scope: { view, sent: names, turn: this.#turns } };
  }

  #openBatch(
    turn: PinnedTurn,
    calls: readonly (ToolCall | GivenCall)[],
    { signal, isOnRecord }: { readonly signal?: AbortSignal | undefined; readonly isOnRecord?: boolean },
  ): TurnBatch {
    const { dispatcher, hub, recorder } = this.#parts;
    return openTurnBatch(turn, calls, {
      dispatcher,
      guard: this.#guard,
      caller: this.#callers.model,
      signal,
      isOnRecord,
      notice: (message) => hub.emit({ type: "loop-noticed", message }, undefined, turn.number),
      noted: (callId, text) => recorder.write({ type: "call-noted", callId, text }),
    });
  }

  // ---------------------------------------------------------------- the loop

  prompt(
    text: string | readonly Content[],
    options: { readonly signal?: AbortSignal; readonly toolChoice?: ToolChoice } = {},
  ): Run {
    this.#assertOpen("prompt");
    if (!this.#conversation) {
      throw new ToolmapError("no-model", "Cannot prompt: the session was created without a model.", {
        fix: "Pass a model to createAgentSession, or use beginTurn with a loop of your own.",
      });
    }
    return this.#conversation.prompt(text, options);
  }

  steer(text: string): void {
    this.#assertOpen("steer");
    if (!this.#conversation)
      throw new ToolmapError("no-model", "Cannot steer: the session was created without a model.");
    this.#conversation.steer(text);
  }

  abort(): void {
    this.#abort("the session was aborted");
  }

  #abort(reason: string): void {
    for (const child of this.#children) child.abort();
    this.#conversation?.abort();
    this.#parts.dispatcher.cancelAll(reason);
  }

  // ---------------------------------------------------------------- the rest

  runWithSessionWriteLock<T>(work: () => T | Promise<T>): Promise<T> {
    return this.#parts.lock.run(work);
  }

  async child(options: Omit<SessionOptions, "registry" | "tools" | "sources"> = {}): Promise<AgentSession> {
    this.#assertOpen("make a child");
    const child: AgentSession = await this.#parts.createChild(options, () => this.#children.delete(child));
    if (this.#parts.health.isClosed) await child.close();
    this.#assertOpen("make a child");
    this.#children.add(child);
    return child;
  }

  observe(listener: (event: SessionEvent) => void): () => void {
    return this.#parts.hub.observe(listener);
  }

  close(): Promise<{ readonly late: readonly { readonly callId: string; readonly name: string }[] }> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<{ readonly late: readonly { readonly callId: string; readonly name: string }[] }> {
    const { dispatcher, health, hub } = this.#parts;
    health.close();
    this.#tellClosing();
    // Children first, and all at once: one grace is enough for every generation.
    const closing = [...this.#children].map((child) => child.close());
    this.#abort("the session was closed");
    const [children] = await Promise.all([Promise.all(closing), this.#whenAtRest()]);
    const late = [...dispatcher.late].map(({ callId, name }) => ({ callId, name }));
    try {
      await this.#parts.release();
    } finally {
      hub.emit({ type: "session-closed" });
    }
    return Object.freeze({ late: [...children.flatMap((child) => child.late), ...late] });
  }

  /** Every call of ours is answered, and its executor has settled or had its grace. */
  async #whenAtRest(): Promise<void> {
    await this.#conversation?.whenIdle();
    await this.#parts.dispatcher.whenAnswered();
    await this.#waitForLate();
  }

  async #waitForLate(): Promise<void> {
    const { clock, dispatcher, graceMs } = this.#parts;
    if (dispatcher.late.size === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(graceMs, resolve);
      void dispatcher.whenNoneLate().then(() => {
        cancel();
        resolve();
      });
    });
  }

  #assertOpen(action: string): void {
    if (this.#parts.health.isClosed) {
      throw new ToolmapError("session-closed", `Cannot ${action}: the session is closed.`, {
        fix: "Create a new session.",
      });
    }
  }

  /** How a call of the program's starts that says nothing else. The same object while nothing changed. */
  #plainStart(): StartOptions {
    const scope = this.#currentScope();
    if (this.#plain?.scope !== scope) this.#plain = { caller: this.#callers.program, scope };
    return this.#plain;
  }

  /** Outside a turn: everything of the moment. The same object while nothing changed. */
  #currentScope(): TurnScope {
    const view = this.#parts.view.current;
    if (this.#scope?.view !== view) this.#scope = { view };
    return this.#scope;
  }
}
