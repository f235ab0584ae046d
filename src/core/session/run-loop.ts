import type { GivenCall } from "../dispatch/read-call.ts";
import { messageOf } from "../hooks/call-hook.ts";
import type { ToolCall } from "../tool/call.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { AssistantPart, Message } from "../tool/message.ts";
import type { ToolResult } from "../tool/result.ts";
import { AssistantAnswer } from "./assistant-answer.ts";
import type { EventBody } from "./event.ts";
import type { Model, ModelPart, ToolChoice, Usage } from "./model.ts";
import type { PromptStop } from "./prompt-stop.ts";
import type { OpenAnswer } from "./resume.ts";
import type { RunResult, Stop } from "./run.ts";

/** The bounds of one prompt. Undefined = none. */
export interface LoopLimits {
  readonly turns: number;
  readonly timeMs: number | undefined;
  readonly tokens: number | undefined;
}

/** Calls whose ids are fixed and of which nothing has run yet. `isLoop`: the guard refused them all. */
interface LoopBatch {
  readonly ids: readonly string[];
  run(): Promise<{ readonly results: readonly ToolResult[]; readonly isLoop: boolean }>;
  cancel(reason: string): void;
}

/** One model request's tools, and the dispatch of its answer. */
export interface LoopTurn {
  readonly number: number;
  readonly tools: readonly ToolDescriptor[];
  open(calls: readonly (ToolCall | GivenCall)[]): LoopBatch;
  /** For calls of the record: their ids stay. */
  reopen(calls: readonly ToolCall[]): LoopBatch;
}

/** What the loop needs of its session. */
export interface LoopHost {
  readonly model: Model;
  readonly limits: LoopLimits;
  readonly transcript: Message[];
  /** Appends to the transcript under the write lock. */
  append(message: Message): void | Promise<void>;
  /** Steering that is due, oldest first; empties the queue. */
  takeSteering(): readonly string[];
  hasSteering(): boolean;
  /** What the record left open, once. */
  takeOpen(): OpenAnswer | undefined;
  beginTurn(): LoopTurn;
  systemPrompt(tools: readonly ToolDescriptor[]): string | undefined;
  emit(event: EventBody, turn: number): void;
}

export interface LoopOptions {
  readonly prompt: readonly Content[];
  readonly toolChoice: ToolChoice | undefined;
  readonly stop: PromptStop;
}

/** Prompt, answer, results, answer … until the model is done or a bound is reached. Never rejects. */
export async function runLoop(host: LoopHost, options: LoopOptions): Promise<RunResult> {
  const progress = new Progress();
  try {
    await closeAnswer(host, options.stop, progress);
    for (const text of host.takeSteering()) await host.append(userMessage([{ type: "text", text }]));
    await host.append(userMessage(options.prompt));
    return progress.end(await takeTurns(host, options, progress));
  } catch (error) {
    if (options.stop.isAborted) return progress.end(options.stop.reason);
    return progress.end("model-error", messageOf(error));
  }
}

/** Dispatches what a resumed answer left open, so that its results stand where they belong: right after its calls. */
async function closeAnswer(host: LoopHost, stop: PromptStop, progress: Progress): Promise<void> {
  const open = host.takeOpen();
  if (!open) return;
  const { results } = await runUntilAborted(host.beginTurn().reopen(open.calls), stop);
  const known = new Map(open.results);
  for (const result of results) known.set(result.callId, result);
  progress.results.push(...results);
  const inOrder = open.ids.flatMap((id) => known.get(id) ?? []);
  await host.append(Object.freeze({ role: "tool", results: Object.freeze(inOrder) }));
}

async function takeTurns(host: LoopHost, options: LoopOptions, progress: Progress): Promise<Stop> {
  for (let turns = 0; ; turns += 1) {
    const bound = boundReached(host, progress, turns);
    if (bound) return bound;
    if (options.stop.isAborted) return options.stop.reason;
    if (turns > 0) for (const text of host.takeSteering()) await host.append(userMessage([{ type: "text", text }]));
    const stop = await takeTurn(host, options, { progress, isFirst: turns === 0 });
    if (stop) return stop;
  }
}

function boundReached(host: LoopHost, progress: Progress, turns: number): Stop | undefined {
  if (turns >= host.limits.turns) return "turns";
  if (host.limits.tokens !== undefined && progress.tokens >= host.limits.tokens) return "tokens";
  return undefined;
}

/** One model request, its answer, and the results of that answer's calls. Says when the loop ends. */
async function takeTurn(
  host: LoopHost,
  options: LoopOptions,
  { progress, isFirst }: { readonly progress: Progress; readonly isFirst: boolean },
): Promise<Stop | undefined> {
  const turn = host.beginTurn();
  host.emit({ type: "turn-started" }, turn.number);
  const toolChoice = isFirst ? options.toolChoice : undefined;
  const { answer, failure } = await askModel(host, turn, { stop: options.stop, toolChoice });
  progress.add(answer);
  if (failure !== undefined || options.stop.isAborted) {
    // Whole calls may have arrived; none of them is dispatched, so none may stay in the transcript.
    if (answer.text !== "") await host.append(assistantMessage([{ type: "text", text: answer.text }]));
    finishTurn(host, turn, { answer, results: [] });
    if (options.stop.isAborted) return options.stop.reason;
    progress.failure = failure;
    return "model-error";
  }
  const isLoop = answer.calls.length > 0 && (await answerCalls(host, turn, { answer, progress, stop: options.stop }));
  if (answer.calls.length === 0) {
    await host.append(assistantMessage(answer.parts([])));
    finishTurn(host, turn, { answer, results: [] });
    return host.hasSteering() ? undefined : "end";
  }
  if (options.stop.isAborted) return options.stop.reason;
  return isLoop ? "loop" : undefined;
}

/** Dispatches the answer's calls. The calls stand in the transcript before any of them runs. */
async function answerCalls(
  host: LoopHost,
  turn: LoopTurn,
  {
    answer,
    progress,
    stop,
  }: { readonly answer: AssistantAnswer; readonly progress: Progress; readonly stop: PromptStop },
): Promise<boolean> {
  const batch = turn.open(answer.calls);
  const appended = host.append(assistantMessage(answer.parts(batch.ids)));
  if (appended) await appended;
  const { results, isLoop } = await runUntilAborted(batch, stop);
  for (const result of results) progress.results.push(result);
  const answered = host.append(Object.freeze({ role: "tool", results }));
  if (answered) await answered;
  finishTurn(host, turn, { answer, results });
  return isLoop;
}

async function runUntilAborted(batch: LoopBatch, stop: PromptStop): ReturnType<LoopBatch["run"]> {
  stop.onAbort = () => batch.cancel("the prompt was aborted");
  if (stop.isAborted) stop.onAbort();
  const end = await batch.run();
  stop.onAbort = undefined;
  return end;
}

interface ModelEnd {
  readonly answer: AssistantAnswer;
  readonly failure?: string;
}

/** Asks the model; an empty answer is asked for once more. */
async function askModel(
  host: LoopHost,
  turn: LoopTurn,
  options: { readonly stop: PromptStop; readonly toolChoice: ToolChoice | undefined },
): Promise<ModelEnd> {
  const first = await streamAnswer(host, turn, options);
  if (first.failure !== undefined || !first.answer.isEmpty || options.stop.isAborted) return first;
  const second = await streamAnswer(host, turn, options);
  return second.failure === undefined && second.answer.isEmpty && !options.stop.isAborted
    ? { answer: second.answer, failure: "the model gave an empty answer twice" }
    : second;
}

async function streamAnswer(
  host: LoopHost,
  turn: LoopTurn,
  { stop, toolChoice }: { readonly stop: PromptStop; readonly toolChoice: ToolChoice | undefined },
): Promise<ModelEnd> {
  const answer = new AssistantAnswer();
  const system = host.systemPrompt(turn.tools);
  try {
    const parts = host.model.turn({
      ...(system === undefined ? {} : { system }),
      messages: host.transcript,
      tools: turn.tools,
      ...(toolChoice === undefined ? {} : { toolChoice }),
      signal: stop.signal,
    });
    await readParts(parts, stop, (part) => {
      const event = answer.take(part);
      if (event) host.emit(event, turn.number);
    });
  } catch (error) {
    return { answer, failure: messageOf(error) };
  }
  return answer.finish?.reason === "error"
    ? { answer, failure: "the model ended its answer with an error" }
    : { answer };
}

/** Reads a stream to its end or to the abort, whichever comes first: a model may ignore its signal. */
async function readParts(
  parts: AsyncIterable<ModelPart>,
  stop: PromptStop,
  take: (part: ModelPart) => void,
): Promise<void> {
  if (stop.isAborted) return;
  const iterator = parts[Symbol.asyncIterator]();
  try {
    // One promise for the stream: a race for each part would keep that part's reaction until the stream ends.
    await new Promise<void>((resolve, reject) => {
      const takeNext = (next: IteratorResult<ModelPart>): void => {
        if (stop.isAborted) return;
        try {
          if (next.done === true) return resolve();
          take(next.value);
          iterator.next().then(takeNext, reject);
        } catch (error) {
          reject(error);
        }
      };
      stop.onAbort = resolve;
      iterator.next().then(takeNext, reject);
    });
  } finally {
    stop.onAbort = undefined;
    if (stop.isAborted) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function finishTurn(
  host: LoopHost,
  turn: LoopTurn,
  { answer, results }: { readonly answer: AssistantAnswer; readonly results: readonly ToolResult[] },
): void {
  const { usage } = answer;
  host.emit({ type: "turn-finished", results, ...(usage === undefined ? {} : { usage }) }, turn.number);
}

function userMessage(content: readonly Content[]): Message {
  return Object.freeze({ role: "user", content: Object.freeze([...content]) });
}

function assistantMessage(parts: readonly AssistantPart[]): Message {
  return Object.freeze({ role: "assistant", parts: Object.freeze(parts) });
}

/** What a run has come to so far. */
class Progress {
  text = "";
  failure: string | undefined;
  readonly results: ToolResult[] = [];
  #usage: { inputTokens?: number; outputTokens?: number; cachedInputTokens?: number } = {};

  add(answer: AssistantAnswer): void {
    this.text = answer.text || this.text;
    for (const key of ["inputTokens", "outputTokens", "cachedInputTokens"] as const) {
      const tokens = answer.usage?.[key];
      if (tokens !== undefined) this.#usage[key] = (this.#usage[key] ?? 0) + tokens;
    }
  }

  get tokens(): number {
    return (this.#usage.inputTokens ?? 0) + (this.#usage.outputTokens ?? 0);
  }

  end(stop: Stop, failure: string | undefined = this.failure): RunResult {
    const usage: Usage = Object.freeze({ ...this.#usage });
    const base = { text: this.text, results: Object.freeze(this.results), usage, stop };
    return Object.freeze(
      stop === "model-error" ? { ...base, error: { message: failure ?? "the model failed" } } : base,
    );
  }
}
