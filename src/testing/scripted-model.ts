import { ToolmapError } from "../core/errors.ts";
import type { JsonValue } from "../core/json.ts";
import type { Model, ModelPart, ModelRequest, TranscriptRules, Usage } from "../core/session/model.ts";

/** One answer of the model, as the script writes it. Played in the order of these members. */
export interface ScriptedTurn {
  readonly reasoning?: string;
  readonly text?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Played as they stand. A `finish` among them is the turn's. */
  readonly parts?: readonly ModelPart[];
  /** Thrown in place of a finish. */
  readonly throws?: unknown;
  /** @default "tool-calls" for a turn with calls, else "stop" */
  readonly finish?: FinishReason;
  readonly usage?: Usage;
}

export interface ScriptedCall {
  /** @default `call_1`, `call_2` … over the whole script */
  readonly id?: string;
  readonly name: string;
  /** A JSON value; a string is the raw text as the model wrote it. @default {} */
  readonly input?: JsonValue;
}

export type FinishReason = Extract<ModelPart, { readonly type: "finish" }>["reason"];

/** A model that says what its script says. */
export interface ScriptedModel extends Model {
  /** What it was asked, oldest first; the lists are copies of that moment. */
  readonly requests: readonly ModelRequest[];
  /** Throws `bad-script` unless every turn was asked for, and none beyond. */
  assertPlayed(): void;
}

/**
 * Plays `turns`, one for each request. A request beyond the last fails with `bad-script` inside the answer's stream.
 * Its transcript rules are what the strictest of the common providers demand.
 */
export function scriptedModel(turns: readonly ScriptedTurn[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const answers = turns.map(nameCalls(turns));
  return {
    rules: STRICTEST_RULES,
    requests,
    turn(request) {
      requests.push({ ...request, messages: [...request.messages], tools: [...request.tools] });
      return play(answers[requests.length - 1], { request, turns: turns.length });
    },
    assertPlayed() {
      if (requests.length === turns.length) return;
      throw new ToolmapError(
        "bad-script",
        `The script was not played as written: it has ${turns.length} turns and was asked for ${requests.length}.`,
        { fix: "Make the script as long as the conversation that is tested." },
      );
    },
  };
}

const STRICTEST_RULES: TranscriptRules = Object.freeze({
  resultsRightAfterCalls: true,
  idPattern: "^[a-zA-Z0-9_-]{1,64}$",
  imageTypes: Object.freeze(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  emptyText: false,
});

interface Answer extends Omit<ScriptedTurn, "calls"> {
  readonly calls: readonly (ScriptedCall & { readonly id: string })[];
}

/** Gives each call without an id one that no other call of the script has. */
function nameCalls(turns: readonly ScriptedTurn[]): (turn: ScriptedTurn) => Answer {
  const taken = new Set(turns.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
  let count = 0;
  function freshId(): string {
    do count += 1;
    while (taken.has(`call_${count}`));
    return `call_${count}`;
  }
  return (turn) => ({ ...turn, calls: (turn.calls ?? []).map((call) => ({ ...call, id: call.id ?? freshId() })) });
}

async function* play(
  answer: Answer | undefined,
  { request, turns }: { readonly request: ModelRequest; readonly turns: number },
): AsyncGenerator<ModelPart> {
  if (!answer) {
    throw new ToolmapError("bad-script", `The script has ${turns} turns and the model was asked for one more.`, {
      fix: "Write a last turn without calls, or find out why the loop goes on.",
    });
  }
  for (const part of partsOf(answer)) {
    request.signal.throwIfAborted();
    yield part;
  }
  if (Object.hasOwn(answer, "throws")) throw answer.throws;
}

function* partsOf({
  reasoning = "",
  text = "",
  calls,
  parts = [],
  finish,
  usage,
  ...rest
}: Answer): Iterable<ModelPart> {
  for (const delta of splitIntoWords(reasoning)) yield { type: "reasoning-delta", text: delta };
  for (const delta of splitIntoWords(text)) yield { type: "text-delta", text: delta };
  for (const call of calls) yield* partsOfCall(call);
  yield* parts;
  if (Object.hasOwn(rest, "throws") || parts.some(({ type }) => type === "finish")) return;
  yield {
    type: "finish",
    reason: finish ?? (calls.length > 0 ? "tool-calls" : "stop"),
    ...(usage === undefined ? {} : { usage }),
  };
}

function* partsOfCall({ id, name, input = {} }: Answer["calls"][number]): Iterable<ModelPart> {
  yield { type: "tool-input-started", callId: id, name };
  const written = typeof input === "string" ? input : JSON.stringify(input);
  // Whole characters: a cut inside a surrogate pair is no text.
  for (const [delta] of written.matchAll(/.{1,24}/gsu)) yield { type: "tool-input-delta", callId: id, text: delta };
  yield { type: "tool-call", call: { id, name, input } };
}

function splitIntoWords(text: string): readonly string[] {
  return text.match(/\S*\s+|\S+/g) ?? [];
}
