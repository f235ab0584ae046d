import { clipText, isRecord } from "../json.ts";
import { countMembers, MAX_DEPTH } from "./count-members.ts";
import { scanJson } from "./scan-json.ts";

/** What a call's raw input turned out to be. The messages are for the model. */
export type ParsedInput =
  | { readonly kind: "value"; readonly value: unknown; readonly repairs?: readonly string[] }
  /** A cut JSON text: must not run. */
  | { readonly kind: "truncated"; readonly message: string }
  /** Not one JSON text with one meaning. */
  | { readonly kind: "not-json"; readonly message: string };

/**
 * Reads a call's input. Text is raw JSON as the model wrote it; anything else is the value itself, and nothing at all is
 * `{}`. JSON that was encoded twice is unwrapped once, on record; nothing else is repaired.
 */
export function parseInput(raw: unknown): ParsedInput {
  if (raw === undefined || raw === null) return NOTHING;
  return typeof raw === "string" ? parseText(raw) : { kind: "value", value: raw };
}

const NOTHING: ParsedInput = Object.freeze({ kind: "value", value: Object.freeze({}) });

function parseText(text: string): ParsedInput {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text.trim() === "" ? NOTHING : explainFault(text);
  }
  if (value === null) return NOTHING;
  if (typeof value === "string") return unwrapOnce(value);
  return refuseAmbiguous(text, value) ?? { kind: "value", value };
}

/** A name that came twice is one member in the value and two in the text; too deep a value is refused here as well. */
function refuseAmbiguous(text: string, value: unknown): ParsedInput | undefined {
  if (typeof value !== "object") return undefined;
  const members = countMembers(value);
  if (members === undefined) return { kind: "not-json", message: `it is nested more than ${MAX_DEPTH} levels deep` };
  if (hasAtMostColons(text, members) || countNames(text) === members) return undefined;
  return scanJson(text).kind === "complete" ? undefined : explainFault(text);
}

/** Each name has a colon, so a text with no more colons than there are members names none of them twice. Cheap, and mostly enough. */
function hasAtMostColons(text: string, most: number): boolean {
  let colons = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) if (++colons > most) return false;
  return true;
}

/** A JSON string that holds a JSON object is an object that was encoded twice. Any other string is a string. */
function unwrapOnce(inner: string): ParsedInput {
  const found = inner.trimStart().startsWith("{") ? parseText(inner) : undefined;
  if (found === undefined || (found.kind === "value" && !isRecord(found.value))) return { kind: "value", value: inner };
  if (found.kind === "value") return { kind: "value", value: found.value, repairs: [REPAIR] };
  return isJson(inner) ? found : { kind: "value", value: inner };
}

const REPAIR = "the input was JSON text inside a JSON string; it was unwrapped once";

function isJson(text: string): boolean {
  const { kind } = scanJson(text);
  return kind === "complete" || kind === "duplicate";
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;
/** From here on looking for the next quote beats reading characters. */
const LONG_STRING = 24;

/** How many member names a valid JSON text holds: strings with a colon after them. */
function countNames(text: string): number {
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue;
    at = endOfString(text, at + 1) + 1;
    while (at < text.length && text.charCodeAt(at) <= SPACE) at++;
    if (text.charCodeAt(at) === COLON) names++;
    else at--;
  }
  return names;
}

/** The index of the quote that ends the string whose content starts at `start`. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (; at < start + LONG_STRING; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  let quote = text.indexOf('"', at);
  for (;;) {
    const backslash = text.indexOf("\\", at);
    if (backslash === -1 || backslash > quote) return quote;
    at = backslash + 2;
    if (quote < at) quote = text.indexOf('"', at);
  }
}

function explainFault(text: string): ParsedInput {
  const scan = scanJson(text);
  switch (scan.kind) {
    case "cut":
      return { kind: "truncated", message: `its JSON ends ${scan.inside}, after ${text.length} characters` };
    case "duplicate":
      return { kind: "not-json", message: describeDuplicate(scan.key, scan.path) };
    case "fault":
      return { kind: "not-json", message: `${scan.message}, at ${describePlace(text, scan.at)}` };
    case "complete":
      return { kind: "not-json", message: "it cannot be read" }; // JSON.parse and the scan know the same grammar
  }
}

function describeDuplicate(key: string, path: string): string {
  const place = path === "" ? "the object" : `the object at ${clipText(path, 80)}`;
  return `${place} names "${clipText(key, 40)}" more than once; send each name once`;
}

function describePlace(text: string, at: number): string {
  return `character ${at + 1}, near "${clipText(text.slice(Math.max(0, at - 12), at + 24), 40)}"`;
}
