import type { JsonValue } from "../json.ts";
import type { ToolCall } from "../tool/call.ts";
import type { AssistantPart } from "../tool/message.ts";
import type { EventBody } from "./event.ts";
import type { ModelPart, Usage } from "./model.ts";

type Finish = Extract<ModelPart, { readonly type: "finish" }>;
type Piece =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly part: Extract<ModelPart, { readonly type: "tool-call" }> }
  | { readonly type: "other"; readonly value: JsonValue };

/** A model's answer while it streams in. */
export class AssistantAnswer {
  readonly #pieces: Piece[] = [];
  /** Read once the answer is whole. */
  #calls: readonly ToolCall[] | undefined;
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
        this.#pieces.push({ type: "call", part });
        return undefined;
      case "finish":
        this.finish = part;
        return undefined;
      case "other":
        this.#pieces.push({ type: "other", value: part.value });
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
  get calls(): readonly ToolCall[] {
    this.#calls ??= this.#readCalls();
    return this.#calls;
  }

  #readCalls(): readonly ToolCall[] {
    const isCut = this.finish?.reason === "length" || this.finish?.reason === "content-filter";
    return this.#pieces.flatMap((piece) => {
      if (piece.type !== "call" || piece.part.providerExecuted === true) return [];
      return [isCut ? { ...piece.part.call, truncated: true } : piece.part.call];
    });
  }

  /** The message for the transcript. `ids`: those that the calls were dispatched under, in order. */
  parts(ids: readonly string[]): readonly AssistantPart[] {
    let next = 0;
    return this.#pieces.flatMap((piece): readonly AssistantPart[] => {
      if (piece.type === "other") return [piece];
      if (piece.type !== "call") return piece.text === "" ? [] : [piece];
      const { call, providerExecuted, meta } = piece.part;
      const id = providerExecuted === true ? (call.id ?? "") : ids[next++];
      if (id === undefined) return [];
      const kept = {
        ...(providerExecuted === undefined ? {} : { providerExecuted }),
        ...(meta === undefined ? {} : { meta }),
      };
      return [{ type: "tool-call", call: { ...call, id }, ...kept }];
    });
  }

  /** Deltas of one kind in a row are one part. */
  #append(type: "text" | "reasoning", text: string): void {
    const last = this.#pieces.at(-1);
    if (last?.type === type) this.#pieces[this.#pieces.length - 1] = { type, text: last.text + text };
    else this.#pieces.push({ type, text });
  }
}
