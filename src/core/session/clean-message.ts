import type { JsonObject, JsonValue } from "../json.ts";
import { isRecord } from "../json.ts";
import type { Content } from "../tool/content.ts";
import { imageTypeOf } from "../tool/image-type.ts";
import type { AssistantPart, Message } from "../tool/message.ts";
import type { ToolResult } from "../tool/result.ts";
import type { TranscriptRules } from "./model.ts";

/** Told what was changed, in words. */
export type TellChange = (what: string) => void;

/**
 * A message as a provider with these rules takes it: well-formed texts, no empty ones, no images that it cannot read. The same
 * object where nothing had to change; undefined where nothing is left of it. What a call or a result is about never changes.
 */
export function cleanMessage(message: Message, rules: TranscriptRules, tell: TellChange): Message | undefined {
  switch (message.role) {
    case "user": {
      const content = cleanBlocks(message.content, rules, tell);
      if (content === message.content && content.length > 0) return message;
      if (content.length === 0) tell("an empty message was left out");
      return content.length === 0 ? undefined : Object.freeze({ ...message, content });
    }
    case "assistant": {
      const parts = mapKept(message.parts, (part) => cleanPart(part, rules, tell));
      if (parts === message.parts && parts.length > 0) return message;
      if (parts.length === 0) tell("an empty answer was left out");
      return parts.length === 0 ? undefined : Object.freeze({ ...message, parts });
    }
    case "tool": {
      const results = mapKept(message.results, (result) => cleanResult(result, rules, tell));
      return results === message.results ? message : Object.freeze({ ...message, results });
    }
  }
}

/**
 * A quick look at a message that a session made itself: its results have come through the pipeline, so that only an image may be
 * one that this provider cannot read. True for nearly all; false means that `cleanMessage` has to look.
 */
export function isSurelyClean(message: Message): boolean {
  if (message.role === "tool") {
    for (const { content } of message.results) for (const block of content) if (block.type === "image") return false;
    return true;
  }
  if (message.role === "user") return false;
  for (const part of message.parts) {
    if (part.type === "text" && (part.text.trim() === "" || !part.text.isWellFormed())) return false;
    if (part.type === "tool-call" && !isAllWellFormed(part.call.input)) return false;
  }
  return message.parts.length > 0;
}

function isAllWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return (value as readonly unknown[]).every(isAllWellFormed);
  for (const name in value) {
    // Its own name, just listed.
    if (!name.isWellFormed() || !isAllWellFormed((value as Readonly<Record<string, unknown>>)[name])) return false;
  }
  return true;
}

function cleanPart(part: AssistantPart, rules: TranscriptRules, tell: TellChange): AssistantPart | undefined {
  if (part.type === "other") return part;
  if (part.type === "tool-call") {
    const input = cleanJson(part.call.input);
    if (input === part.call.input) return part;
    tell(`the input of call "${part.call.id}" held half a character`);
    return Object.freeze({ ...part, call: Object.freeze({ ...part.call, input }) });
  }
  // Reasoning goes back as it came: its signature covers every byte.
  if (part.type === "reasoning") return part;
  if (!rules.emptyText && part.text.trim() === "") return left(tell, "an empty text was left out");
  if (part.text.isWellFormed()) return part;
  tell("a text held half a character");
  return Object.freeze({ ...part, text: part.text.toWellFormed() });
}

function cleanResult(result: ToolResult, rules: TranscriptRules, tell: TellChange): ToolResult {
  const kept = cleanBlocks(result.content, rules, tell);
  if (kept === result.content && kept.length > 0) return result;
  if (result.content.length === 0) tell(`the result of call "${result.callId}" had no content`);
  return Object.freeze({ ...result, content: kept.length > 0 ? kept : NO_OUTPUT });
}

const NO_OUTPUT: readonly Content[] = Object.freeze([Object.freeze({ type: "text", text: "(no output)" } as const)]);

function cleanBlocks(blocks: readonly Content[], rules: TranscriptRules, tell: TellChange): readonly Content[] {
  return mapKept(blocks, (block) => cleanBlock(block, rules, tell));
}

function cleanBlock(block: Content, rules: TranscriptRules, tell: TellChange): Content | undefined {
  switch (block.type) {
    case "text":
      if (!rules.emptyText && block.text.trim() === "") return left(tell, "an empty text was left out");
      if (block.text.isWellFormed()) return block;
      tell("a text held half a character");
      return Object.freeze({ ...block, text: block.text.toWellFormed() });
    case "image":
      return cleanImage(block, rules, tell);
    default: {
      const whole = cleanJson(block) as Content; // a copy of a block, with its texts well-formed, is that block
      if (whole !== block) tell("a block held half a character");
      return whole;
    }
  }
}

/** The bytes decide over the declared type, since providers compare the two. No types named: the provider says nothing about them. */
function cleanImage(
  block: Extract<Content, { readonly type: "image" | "audio" }>,
  { imageTypes }: TranscriptRules,
  tell: TellChange,
): Content {
  if (imageTypes.length === 0) return block;
  const declared = block.mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = imageTypeOf(block.data) ?? declared;
  if (!imageTypes.includes(type)) {
    tell(`an image of the type ${declared}, which the provider cannot read, became a text`);
    return Object.freeze({
      type: "text",
      text: `(an image of the type ${declared.toWellFormed()}, ${block.data.length} characters of base64, that this model cannot read)`,
    });
  }
  if (type === block.mimeType) return block;
  tell(`an image was declared as ${block.mimeType} and is ${type}`);
  return Object.freeze({ ...block, mimeType: type });
}

function left(tell: TellChange, what: string): undefined {
  tell(what);
  return undefined;
}

/** Every text well-formed, names of members too. The same value where all are. */
function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (Array.isArray(value)) return mapKept(value as readonly JsonValue[], (item) => cleanJson(item) as JsonValue);
  if (!isRecord(value)) return value;
  for (const name in value) {
    const member = value[name];
    if (name.isWellFormed() && cleanJson(member) === member) continue;
    return Object.freeze(
      Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toWellFormed(), cleanJson(each)])),
    ) as JsonObject;
  }
  return value;
}

/** Maps, and leaves out what becomes undefined. The same array where nothing changes. */
function mapKept<T>(items: readonly T[], map: (item: T) => T | undefined): readonly T[] {
  let changed: T[] | undefined;
  // By index: a transcript is thousands of these, and nearly all of them stay as they are.
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as T; // within its length
    const mapped = map(item);
    if (mapped === item) changed?.push(item);
    else {
      changed ??= items.slice(0, at);
      if (mapped !== undefined) changed.push(mapped);
    }
  }
  return changed ? Object.freeze(changed) : items;
}
