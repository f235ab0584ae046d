import { NO_OUTPUT } from "../dispatch/normalise-output.ts";
import { freezeJson, isRecord, type JsonObject, type JsonValue } from "../json.ts";
import type { Content } from "../tool/content.ts";
import type { AssistantPart, Message } from "../tool/message.ts";
import { readContent } from "../tool/read-content.ts";
import { isOutcome, type ResultDetails, type ToolResult } from "../tool/result.ts";

/** How far a call had come. "asking": an approval was pending. "intended": it was about to run, or ran. */
export type Reached = "asking" | "answered" | "intended" | "ended";

/** What a record says of a call. */
export interface RecordedCall {
  readonly callId: string;
  readonly name: string;
  readonly reached: Reached;
  /** The input as it was first checked, and as it would run. */
  readonly given: JsonObject | undefined;
  readonly input: JsonObject | undefined;
  readonly result: ToolResult | undefined;
  /** The call that it is nested in. */
  readonly parentCallId: string | undefined;
}

/** A session's record, read: what was said, what was called, what was used up. */
export interface SessionRecord {
  readonly isEmpty: boolean;
  /** The user's and the model's, oldest first. Results are not messages of the record: they are the calls' outcomes. */
  readonly messages: readonly Message[];
  readonly calls: ReadonlyMap<string, RecordedCall>;
  /** What the loop guard said about a call's result. */
  readonly notes: ReadonlyMap<string, string>;
  readonly usedApprovals: ReadonlyMap<string, number>;
  readonly state: ReadonlyMap<string, JsonValue>;
  readonly turns: number;
  /** Something is missing from it: what it does not say may have happened all the same. */
  readonly hasGaps: boolean;
}

/** Reads entries in their order. They come from outside: what is unknown or has another shape is passed over. */
export function readSessionRecord(entries: readonly JsonObject[]): SessionRecord {
  const reader = new RecordReader();
  for (const entry of entries) takeSafely(reader, entry);
  const { messages, calls, notes, usedApprovals, state, turns, hasGaps } = reader;
  return { isEmpty: entries.length === 0, messages, calls, notes, usedApprovals, state, turns, hasGaps };
}

function takeSafely(reader: RecordReader, entry: unknown): void {
  if (!isRecord(entry)) return;
  try {
    // Its members are JSON: the journal read it as that.
    reader.take(entry as JsonObject);
  } catch {
    // Nested deeper than anything here can follow.
  }
}

class RecordReader {
  readonly messages: Message[] = [];
  readonly #callIds = new Set<string>();
  readonly calls = new Map<string, RecordedCall>();
  readonly notes = new Map<string, string>();
  readonly usedApprovals = new Map<string, number>();
  readonly state = new Map<string, JsonValue>();
  turns = 0;
  hasGaps = false;

  take(entry: JsonObject): void {
    const { turn } = entry;
    if (Number.isSafeInteger(turn) && Number(turn) > this.turns) this.turns = Number(turn);
    switch (entry["type"]) {
      case "message": {
        const message = readMessage(entry["message"]);
        if (message) this.#say(message);
        return;
      }
      case "approval-requested":
      case "approval-joined":
        return this.#reach(entry, "asking");
      case "approval-answered":
        return this.#reach(entry, "answered");
      case "approval-used":
        return this.#use(entry);
      case "intent":
        return this.#reach(entry, "intended");
      case "outcome":
        return this.#reach(entry, "ended");
      case "repaired":
      case "record-damaged":
        this.hasGaps = true;
        return;
      case "call-noted":
        if (typeof entry["callId"] === "string" && typeof entry["text"] === "string")
          this.notes.set(entry["callId"], entry["text"]);
        return;
      case "state":
        if (typeof entry["key"] === "string" && entry["value"] !== undefined)
          this.state.set(entry["key"], freezeJson(entry["value"]));
        return;
      default:
        return;
    }
  }

  /** No provider takes an empty message, or an id twice: an entry that was written twice is one message. */
  #say(message: Message): void {
    if (message.role === "user" && message.content.length > 0) this.messages.push(message);
    if (message.role !== "assistant") return;
    const parts = message.parts.filter((part) => part.type !== "tool-call" || this.#isNewCall(part));
    const hasLostAllCalls = parts.length < message.parts.length && !parts.some(({ type }) => type === "tool-call");
    if (parts.length === 0 || hasLostAllCalls) return;
    this.messages.push(parts.length === message.parts.length ? message : Object.freeze({ ...message, parts }));
  }

  #isNewCall({ call: { id }, providerExecuted }: Extract<AssistantPart, { readonly type: "tool-call" }>): boolean {
    if (providerExecuted === true) return true;
    if (id === "" || this.#callIds.has(id)) return false;
    this.#callIds.add(id);
    return true;
  }

  #reach(entry: JsonObject, reached: Reached): void {
    const { callId, name } = entry;
    if (typeof callId !== "string" || typeof name !== "string") return;
    const before = this.calls.get(callId);
    const input = isRecord(entry["input"]) ? entry["input"] : before?.input;
    const given = isRecord(entry["given"]) ? entry["given"] : (before?.given ?? input);
    const result = (reached === "ended" ? readResult(entry, { callId, name }) : undefined) ?? before?.result;
    const parent = entry["parentCallId"];
    const parentCallId = typeof parent === "string" ? parent : before?.parentCallId;
    this.calls.set(callId, {
      callId,
      name,
      reached: furthest(before, { reached, result }),
      given,
      input,
      result,
      parentCallId,
    });
  }

  #use({ use, expiresAt }: JsonObject): void {
    if (typeof use === "string" && typeof expiresAt === "number") this.usedApprovals.set(use, expiresAt);
  }
}

/** What may have run is never taken back: not by a later ask, and not by an outcome that cannot be read. */
function furthest(
  before: RecordedCall | undefined,
  { reached, result }: Pick<RecordedCall, "reached" | "result">,
): Reached {
  if (result) return "ended";
  return reached === "ended" || before?.reached === "intended" ? "intended" : reached;
}

function readResult(
  entry: JsonObject,
  { callId, name }: { readonly callId: string; readonly name: string },
): ToolResult | undefined {
  const { outcome, content, structuredContent, details } = entry;
  if (!isOutcome(outcome) || !Array.isArray(content) || content.length === 0) return undefined;
  return Object.freeze({
    callId,
    name,
    outcome,
    isError: outcome !== "ok",
    content: saySomething(readBlocks(content as readonly JsonValue[])),
    ...(structuredContent === undefined ? {} : { structuredContent: freezeJson(structuredContent) }),
    // For programs and people alone, who get what was written.
    ...(isRecord(details) ? { details: freezeJson(details) as ResultDetails } : {}),
  });
}

function saySomething(content: readonly Content[]): readonly Content[] {
  const isBlank = content.every((block) => block.type === "text" && block.text.trim() === "");
  return isBlank ? NOTHING : content;
}

const NOTHING: readonly Content[] = freezeJson([{ type: "text", text: NO_OUTPUT }]);

function readMessage(value: JsonValue | undefined): Message | undefined {
  if (!isRecord(value)) return undefined;
  const { role, content, parts } = value;
  if (role === "user" && Array.isArray(content)) {
    return Object.freeze({ role, content: readBlocks(content as readonly JsonValue[]) });
  }
  if (role !== "assistant" || !Array.isArray(parts)) return undefined;
  return Object.freeze({ role, parts: Object.freeze((parts as readonly JsonValue[]).flatMap(readPart)) });
}

function readBlocks(blocks: readonly JsonValue[]): readonly Content[] {
  return Object.freeze(blocks.map(readContent));
}

function readPart(value: JsonValue): readonly AssistantPart[] {
  if (!isRecord(value)) return [];
  const { type, call } = value;
  const isText = (type === "text" || type === "reasoning") && typeof value["text"] === "string";
  const isCall =
    type === "tool-call" && isRecord(call) && typeof call["id"] === "string" && typeof call["name"] === "string";
  // Its shape was checked as far as anybody relies on it; the rest is the provider's own.
  return isText || isCall || type === "other" ? [freezeJson(value) as unknown as AssistantPart] : [];
}
