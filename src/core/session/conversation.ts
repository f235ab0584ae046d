import type { Clock } from "../clock.ts";
import { ToolmapError } from "../errors.ts";
import type { GivenCall } from "../dispatch/read-call.ts";
import type { WriteLock } from "../hooks/write-lock.ts";
import type { ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { Message } from "../tool/message.ts";
import { readContent } from "../tool/read-content.ts";
import type { SessionOptions } from "./agent-session.ts";
import { cleanMessage, isSurelyClean } from "./clean-message.ts";
import type { EventHub } from "./event-hub.ts";
import type { Model, ToolChoice } from "./model.ts";
import { resolveLoopLimits } from "./resolve-options.ts";
import { PromptStop } from "./prompt-stop.ts";
import { repairTranscript } from "./repair-transcript.ts";
import type { OpenAnswer, Resumed } from "./resume.ts";
import type { Run, RunResult, Stop } from "./run.ts";
import { RunHandle } from "./run-handle.ts";
import { type LoopHost, runLoop } from "./run-loop.ts";
import type { SessionRecorder } from "./session-recorder.ts";
import type { PinnedTurn, TurnBatch } from "./turn.ts";

export interface ConversationParts {
  readonly options: SessionOptions;
  readonly clock: Clock;
  readonly lock: WriteLock;
  readonly hub: EventHub;
  readonly recorder: SessionRecorder;
  readonly resumed: Resumed | undefined;
}

/** A turn of the loop. */
export interface ConversationTurn extends PinnedTurn {
  open(calls: readonly (ToolCall | GivenCall)[]): TurnBatch;
  /** For calls of the record: their ids stay. */
  reopen(calls: readonly ToolCall[]): TurnBatch;
}

type BeginTurn = () => ConversationTurn;

interface ActivePrompt {
  readonly stop: PromptStop;
  /** Settles, and never rejects, when the prompt is over. */
  readonly ended: Promise<unknown>;
}

/** The transcript of a session and the one prompt that may be running on it. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #model: Model;
  readonly #beginTurn: BeginTurn;
  readonly #transcript: Message[];
  /** Calls of the record's last answer that have to be dispatched before anything else is said. */
  #open: OpenAnswer | undefined;
  #steering: string[] = [];
  #turn: number | undefined;
  #active: ActivePrompt | undefined;
  #prompt: { readonly tools: readonly ToolDescriptor[]; readonly text: string | undefined } | undefined;

  constructor(parts: ConversationParts, model: Model, beginTurn: BeginTurn) {
    this.#parts = parts;
    this.#model = model;
    this.#beginTurn = beginTurn;
    this.#transcript = resumedTranscript(parts.resumed, model);
    this.#open = parts.resumed?.open;
  }

  prompt(
    text: string | readonly Content[],
    { signal, toolChoice }: { readonly signal?: AbortSignal; readonly toolChoice?: ToolChoice },
  ): Run {
    if (this.#active) {
      throw new ToolmapError("session-busy", "Cannot prompt: another prompt of this session is running.", {
        fix: "Await it first, or use steer to say something to it.",
      });
    }
    const content = typeof text === "string" ? [{ type: "text" as const, text }] : text.map(readContent);
    const result = this.#start(content, { signal, toolChoice });
    return new RunHandle(result, (listener) => this.#parts.hub.observe(listener));
  }

  steer(text: string): void {
    this.#steering.push(text);
  }

  /** Ends the running prompt, if there is one. */
  abort(stop: Stop = "cancelled"): void {
    this.#active?.stop.abort(stop);
  }

  async whenIdle(): Promise<void> {
    await this.#active?.ended;
  }

  #start(
    content: readonly Content[],
    { signal, toolChoice }: { readonly signal: AbortSignal | undefined; readonly toolChoice: ToolChoice | undefined },
  ): Promise<RunResult> {
    const stop = new PromptStop();
    const stopWatching = this.#watch(signal);
    // A tick later, so that whoever iterates the run sees its first event.
    const ended = Promise.resolve().then(async () => {
      const result = await runLoop(this.#host(), {
        prompt: content,
        toolChoice,
        stop,
      });
      stopWatching();
      this.#active = undefined;
      return result;
    });
    this.#active = { stop, ended };
    if (signal?.aborted === true) this.abort();
    return ended;
  }

  /** The caller's signal and the time limit. Returns what stops watching them. */
  #watch(signal: AbortSignal | undefined): () => void {
    const { timeMs } = resolveLoopLimits(this.#parts.options.limits);
    const onAbort = (): void => this.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const cancel = timeMs === undefined ? undefined : this.#parts.clock.after(timeMs, () => this.abort("time"));
    return () => {
      signal?.removeEventListener("abort", onAbort);
      cancel?.();
    };
  }

  #host(): LoopHost {
    return {
      model: this.#model,
      limits: resolveLoopLimits(this.#parts.options.limits),
      transcript: this.#transcript,
      append: (message) => this.#append(message),
      takeSteering: () => this.#steering.splice(0),
      hasSteering: () => this.#steering.length > 0,
      takeOpen: () => {
        const open = this.#open;
        this.#open = undefined;
        return open;
      },
      beginTurn: () => {
        const turn = this.#beginTurn();
        this.#turn = turn.number;
        return turn;
      },
      systemPrompt: (tools) => this.#systemPrompt(tools),
      emit: (event, turn) => this.#parts.hub.emit(event, undefined, turn),
    };
  }

  /** Under the write lock, which costs no tick while it is free. */
  #append(message: Message): undefined | Promise<void> {
    const { lock } = this.#parts;
    if (!lock.tryAcquire()) return lock.run(() => this.#push(message));
    this.#push(message);
    lock.release();
    return undefined;
  }

  /** Results are on record already, as their calls' outcomes. */
  #push(message: Message): void {
    // A message that would be left out altogether is the user's own, and for the provider to judge.
    this.#transcript.push(
      isSurelyClean(message) ? message : (cleanMessage(message, this.#model.rules, tellNobody) ?? message),
    );
    if (message.role === "tool") return;
    this.#parts.recorder.write({ type: "message", ...(this.#turn === undefined ? {} : { turn: this.#turn }), message });
  }

  /** Built anew only when the tools that are sent have changed. */
  #systemPrompt(tools: readonly ToolDescriptor[]): string | undefined {
    const { systemPrompt } = this.#parts.options;
    if (typeof systemPrompt !== "function") return systemPrompt;
    if (this.#prompt?.tools !== tools) this.#prompt = { tools, text: systemPrompt(tools) };
    return this.#prompt.text;
  }
}

/** As the model's provider takes it, which may be another one than wrote it; what is open is not repaired but goes on. */
function resumedTranscript(resumed: Resumed | undefined, { rules }: Model): Message[] {
  if (!resumed) return [];
  const { transcript, open } = resumed;
  const whole = open ? transcript.slice(0, -1) : transcript;
  const last = open ? transcript.slice(-1) : [];
  return [...repairTranscript(whole, rules).messages, ...last];
}

/** The transcript of a session keeps what was said; what a provider does not take is left out of what it is sent. */
function tellNobody(): void {}
