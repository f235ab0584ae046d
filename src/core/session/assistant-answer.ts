import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { type GivenCall, readCall } from "../dispatch/read-call.ts";
import type { ToolCall } from "../tool/call.ts";
import type { AssistantPart } from "../tool/message.ts";
import { copyPlain, NOT_PLAIN } from "../schema/plain-copy.ts";
import { copyOutput } from "../tool/read-content.ts";
import type { EventBody } from "./event.ts";
import type { ModelPart, Usage } from "./model.ts";

type Finish = Extract<ModelPart, { readonly type: "finish" }>;
type Piece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | ReceivedCall
  | { readonly type: "other"; readonly value: JsonValue };

/** `meta` is the part's, beside the call's own. */
interface ReceivedCall {
  readonly type: "call";
  readonly call: GivenCall;
  readonly providerExecuted: boolean | undefined;
  readonly meta: JsonObject | undefined;
}

/** A model's answer while it streams in. */
export class AssistantAnswer {
  readonly #pieces: Piece[] = [];
  /** Read once the answer is whole. */
  #calls: readonly (ToolCall | GivenCall)[] | undefined;
  finish: Finish | undefined;

  /** Takes a part. Returns the event that it is, if it is one. */
  take(part: ModelPart): EventBody | undefined {
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta":
        this.#append(part.type === "text-delta" ? "text" : "reasoning", part.text);
        return { type: part.type, text: part.text };
      case "tool-input-started":
        return { type: "tool-input-started", name: part.name };
      case "tool-input-delta":
        return { type: "tool-input-delta", text: part.text };
      case "tool-call":
        this.#pieces.push({
          type: "call",
          call: readCall(part.call),
          providerExecuted: part.providerExecuted,
          meta: part.meta && readMeta(part.meta),
        });
        return undefined;
      case "finish":
        this.finish = part;
        return undefined;
      case "other":
        this.#pieces.push({ type: "other", value: copyOutput(part.value) ?? NOT_JSON });
        return undefined;
    }
  }

  get text(): string {
    return this.#pieces.map((piece) => (piece.type === "text" ? piece.text : "")).join("");
  }

  get usage(): Usage | undefined {
    return this.finish?.usage;
  }

  get isEmpty(): boolean {
    return this.#pieces.every(
      (piece) => (piece.type === "text" || piece.type === "reasoning") && piece.text.trim() === "",
    );
  }

  /** The calls to dispatch; those that the provider ran itself are not among them. An answer cut off cuts off its calls. */
  get calls(): readonly (ToolCall | GivenCall)[] {
    this.#calls ??= this.#readCalls();
    return this.#calls;
  }

  #readCalls(): readonly (ToolCall | GivenCall)[] {
    const isCut = this.finish?.reason === "length" || this.finish?.reason === "content-filter";
    const calls: (ToolCall | GivenCall)[] = [];
    for (const piece of this.#pieces) {
      if (piece.type !== "call" || piece.providerExecuted === true) continue;
      calls.push(isCut ? cutOff(piece.call) : piece.call);
    }
    return calls;
  }

  /** The message for the transcript. `ids`: those that the calls were dispatched under, in order. */
  parts(ids: readonly string[]): readonly AssistantPart[] {
    let next = 0;
    const parts: AssistantPart[] = [];
    for (const piece of this.#pieces) {
      if (piece.type === "other") parts.push(piece);
      else if (piece.type !== "call") {
        if (piece.text !== "") parts.push(piece);
      } else {
        const id = piece.providerExecuted === true ? (piece.call.id ?? "") : ids[next++];
        if (id !== undefined) parts.push(callPart(piece, id));
      }
    }
    return parts;
  }

  /** Deltas of one kind in a row are one part. */
  #append(type: "text" | "reasoning", text: string): void {
    const last = this.#pieces.at(-1);
    if (last?.type === type) this.#pieces[this.#pieces.length - 1] = { type, text: last.text + text };
    else this.#pieces.push({ type, text });
  }
}

function cutOff({ id, name, input }: GivenCall): ToolCall {
  return id === undefined ? { name, input, truncated: true } : { id, name, input, truncated: true };
}

/** What a model says comes from outside: one value that is not JSON would be in every later request, and in no record. */
function readMeta(meta: unknown): JsonObject | undefined {
  const copy = copyOutput(meta);
  return isRecord(copy) ? copy : undefined;
}

function readInput(input: unknown): unknown {
  if (input === undefined || typeof input === "string") return input;
  const plain = copyOfPlain(input);
  // Nearly always: a walk costs a fraction of what text and back costs.
  return plain === NOT_PLAIN ? (copyOutput(input) ?? NOT_JSON) : plain;
}

function copyOfPlain(input: unknown): JsonValue | typeof NOT_PLAIN {
  try {
    return copyPlain(input);
  } catch {
    return NOT_PLAIN;
  }
}

const NOT_JSON = "(a value that is not JSON)";

function callPart({ call, providerExecuted, meta }: ReceivedCall, id: string): AssistantPart {
  const { name } = call;
  const input = readInput(call.input);
  const own: ToolCall & { readonly id: string } =
    call.truncated || call.meta
      ? { id, name, input, ...(call.truncated ? { truncated: true } : {}), ...(call.meta ? { meta: call.meta } : {}) }
      : { id, name, input };
  if (providerExecuted === undefined && meta === undefined) return { type: "tool-call", call: own };
  return {
    type: "tool-call",
    call: own,
    ...(providerExecuted === undefined ? {} : { providerExecuted }),
    ...(meta === undefined ? {} : { meta }),
  };
}
