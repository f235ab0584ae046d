import { clipText } from "../json.ts";
import type { Content } from "../tool/content.ts";
import type { AssistantPart, Message } from "../tool/message.ts";
import type { ToolResult } from "../tool/result.ts";
import type { TranscriptRules } from "./model.ts";

/** A message with its index in the transcript as it was given. */
export interface PlacedMessage {
  readonly message: Message;
  readonly at: number;
}

type Assistant = Extract<Message, { readonly role: "assistant" }>;
type Call = Extract<AssistantPart, { readonly type: "tool-call" }>;
type Tell = (at: number, what: string) => void;

/** Puts each answer's results right after it, gives what has no partner one, and makes ids unique. Messages that fit stay the same objects. */
export function pairCalls(messages: readonly PlacedMessage[], rules: TranscriptRules, tell: Tell): Message[] {
  const ids = new CallIds(rules);
  const results = new LooseResults(messages);
  const paired: Message[] = [];
  for (const [place, { message, at }] of messages.entries()) {
    if (message.role === "tool") {
      if (message.results.length === 0) tell(at, "a message without results was left out");
      paired.push(...tellOrphans(results.restOf(place), at, tell));
    } else if (message.role === "user") paired.push(message);
    else paired.push(...pairAnswer({ message, at }, { place, ids, results, next: messages[place + 1]?.message, tell }));
  }
  return paired;
}

/** Whether nothing has to be done: most transcripts are fine, and then nothing is built. */
export function arePaired(messages: readonly Message[], rules: TranscriptRules): boolean {
  const ids = new CallIds(rules);
  for (let place = 0; place < messages.length; place += 1) {
    const message = messages[place];
    if (message?.role === "tool") return false;
    if (message?.role !== "assistant") continue;
    const next = messages[place + 1];
    const results = next?.role === "tool" ? next.results : NO_RESULTS;
    let answered = 0;
    for (const part of message.parts) {
      if (part.type !== "tool-call" || part.providerExecuted === true) continue;
      if (!ids.takeAsItIs(part.call.id) || results[answered]?.callId !== part.call.id) return false;
      answered += 1;
    }
    if (answered !== results.length) return false;
    if (next?.role === "tool") {
      if (answered === 0) return false;
      place += 1;
    }
  }
  return true;
}

const NO_RESULTS: readonly ToolResult[] = [];

function pairAnswer(
  { message, at }: { readonly message: Assistant; readonly at: number },
  {
    place,
    ids,
    results,
    next,
    tell,
  }: {
    readonly place: number;
    readonly ids: CallIds;
    readonly results: LooseResults;
    readonly next: Message | undefined;
    readonly tell: Tell;
  },
): readonly Message[] {
  const calls = message.parts.filter(
    (part): part is Call => part.type === "tool-call" && part.providerExecuted !== true,
  );
  if (calls.length === 0) return [message];
  const renamed = new Map<Call, string>();
  const answered: ToolResult[] = [];
  for (const call of calls) {
    const id = ids.claim(call.call.id);
    if (id !== call.call.id) {
      renamed.set(call, id);
      tell(
        at,
        `the call id ${quote(call.call.id)} became "${id}": it stood there before, or the provider does not take it`,
      );
    }
    answered.push(resultOf(call, { id, place, results, at, tell }));
  }
  const answer = renamed.size === 0 ? message : rename(message, renamed);
  return [answer, resultsMessage(answered, { next, at, tell })];
}

/** Those that the provider did not run itself. */
function callsOf({ parts }: Assistant): readonly Call[] {
  return parts.filter((part): part is Call => part.type === "tool-call" && part.providerExecuted !== true);
}

function resultOf(
  { call }: Call,
  {
    id,
    place,
    results,
    at,
    tell,
  }: {
    readonly id: string;
    readonly place: number;
    readonly results: LooseResults;
    readonly at: number;
    readonly tell: Tell;
  },
): ToolResult {
  const found = results.take(call.id, place);
  if (found) return found.callId === id ? found : Object.freeze({ ...found, callId: id });
  tell(at, `the call ${quote(call.id)} of ${quote(call.name)} had no result`);
  const text = `There is no result of this call on record: it may have run. Look before you call ${quote(call.name)} again.`;
  const content: readonly Content[] = Object.freeze([Object.freeze({ type: "text", text } as const)]);
  return Object.freeze({ callId: id, name: call.name, outcome: "interrupted", isError: true, content });
}

/** The message that stands there already, where it says the same. */
function resultsMessage(
  results: readonly ToolResult[],
  { next, at, tell }: { readonly next: Message | undefined; readonly at: number; readonly tell: Tell },
): Message {
  const isThere =
    next?.role === "tool" &&
    next.results.length === results.length &&
    results.every((result, index) => result === next.results[index]);
  if (isThere) return next;
  if (next?.role !== "tool" || !sameMembers(next.results, results)) {
    tell(at, "the results of its calls did not stand right after it, one for each");
  } else tell(at, "the results of its calls stood in another order");
  return Object.freeze({ role: "tool", results: Object.freeze(results) });
}

function sameMembers(left: readonly ToolResult[], right: readonly ToolResult[]): boolean {
  return left.length === right.length && left.every((result) => right.includes(result));
}

function rename(message: Assistant, renamed: ReadonlyMap<Call, string>): Message {
  const parts = message.parts.map((part) => {
    const id = part.type === "tool-call" ? renamed.get(part) : undefined;
    return part.type === "tool-call" && id !== undefined
      ? Object.freeze({ ...part, call: Object.freeze({ ...part.call, id }) })
      : part;
  });
  return Object.freeze({ ...message, parts: Object.freeze(parts) });
}

/** A result that answers no call is told as text, so that the model still knows it. */
function tellOrphans(orphans: readonly ToolResult[], at: number, tell: Tell): readonly Message[] {
  if (orphans.length === 0) return [];
  tell(at, `${orphans.length === 1 ? "a result" : `${orphans.length} results`} answered no call and became text`);
  const content = orphans.flatMap(({ name, content: blocks }): readonly Content[] => [
    Object.freeze({ type: "text", text: `(The result of a call of ${quote(name)} that is not on record:)` }),
    ...blocks,
  ]);
  return [Object.freeze({ role: "user", content: Object.freeze(content) })];
}

function quote(text: string): string {
  return `"${clipText(text, 80)}"`;
}

/** Hands out each id once. A first one keeps its own, so that what a provider has cached stays. */
class CallIds {
  readonly #used = new Set<string>();
  readonly #pattern: RegExp | undefined;

  constructor({ idPattern }: TranscriptRules) {
    this.#pattern = idPattern === undefined ? undefined : new RegExp(idPattern, "u");
  }

  /** Takes an id that can stay as it is. False for any other. */
  takeAsItIs(id: string): boolean {
    if (id === "" || this.#used.has(id) || !this.#fits(id)) return false;
    this.#used.add(id);
    return true;
  }

  claim(id: string): string {
    if (this.takeAsItIs(id)) return id;
    for (let number = 2; ; number += 1) {
      for (const candidate of [`${id}#${number}`, `${legal(id)}_${number}`, `call_${number}`]) {
        if (this.#used.has(candidate) || !this.#fits(candidate)) continue;
        this.#used.add(candidate);
        return candidate;
      }
      // A pattern that nothing fits is nobody's: then uniqueness is what counts.
      if (number > MOST_TRIES) return id;
    }
  }

  #fits(id: string): boolean {
    return id.isWellFormed() && (this.#pattern === undefined || this.#pattern.test(id));
  }
}

const MOST_TRIES = 100_000;

/** What most providers take as an id. */
function legal(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 48) || "call";
}

interface Loose {
  readonly result: ToolResult;
  readonly place: number;
  isTaken: boolean;
}

/** The results of a transcript that no call has taken yet. */
class LooseResults {
  /** By call id, in order. */
  readonly #byId = new Map<string, { readonly all: Loose[]; next: number; readonly calledAt: number[] }>();
  readonly #byPlace = new Map<number, readonly Loose[]>();

  constructor(messages: readonly PlacedMessage[]) {
    for (const [place, { message }] of messages.entries()) {
      if (message.role === "assistant") {
        for (const { call } of callsOf(message)) this.#of(call.id).calledAt.push(place);
      } else if (message.role === "tool") {
        const here = message.results.map((result): Loose => ({ result, place, isTaken: false }));
        this.#byPlace.set(place, here);
        for (const loose of here) this.#of(loose.result.callId).all.push(loose);
      }
    }
  }

  /** The first result of this id that stands behind the answer at `place`, and before another answer that uses the id again. */
  take(id: string, place: number): ToolResult | undefined {
    const known = this.#of(id);
    while ((known.all[known.next]?.place ?? Number.POSITIVE_INFINITY) < place) known.next += 1;
    const loose = known.all[known.next];
    if (!loose) return undefined;
    while ((known.calledAt[0] ?? Number.POSITIVE_INFINITY) <= place) known.calledAt.shift();
    if (loose.place > (known.calledAt[0] ?? Number.POSITIVE_INFINITY)) return undefined;
    loose.isTaken = true;
    known.next += 1;
    return loose.result;
  }

  /** Asked when the message at `place` is reached: what is not taken by then answers no call before it. */
  restOf(place: number): readonly ToolResult[] {
    return (this.#byPlace.get(place) ?? []).filter(({ isTaken }) => !isTaken).map(({ result }) => result);
  }

  #of(id: string): { readonly all: Loose[]; next: number; readonly calledAt: number[] } {
    let known = this.#byId.get(id);
    if (!known) this.#byId.set(id, (known = { all: [], next: 0, calledAt: [] }));
    return known;
  }
}
