import { freezeJson, isRecord, type JsonValue } from "../json.ts";
import type { Content } from "./content.ts";

/**
 * One block as a tool or server gave it, as our own frozen copy. A kind or shape that we do not know becomes `unknown`
 * and keeps its value; what is no JSON at all becomes text that says so.
 */
export function readContent(block: unknown): Content {
  const value = copyOutput(block);
  if (!isRecord(value))
    return Object.freeze({ type: "text", text: value === undefined ? NOT_JSON : JSON.stringify(value) });
  return isKnownShape(value) ? (value as Content) : freezeJson({ type: "unknown", value });
}

const NOT_JSON = "(a block that is not JSON)";

/** A plain copy, as JSON would carry it. Undefined for what JSON cannot carry: cycles, functions, a throwing getter. */
export function copyJson(value: unknown): JsonValue | undefined {
  return parseText(jsonText(value));
}

/** A frozen copy of what a tool gave, with well-formed texts: one lone surrogate would make a request invalid for ever. */
export function copyOutput(value: unknown): JsonValue | undefined {
  const text = jsonText(value);
  const copy = parseText(text);
  // JSON text spells a lone surrogate as an escape, and no other surrogate.
  return copy === undefined ? undefined : freezeJson(text?.includes("\\ud") === true ? toWellFormed(copy) : copy);
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return textWithBigInts(value);
  }
}

function textWithBigInts(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member));
  } catch {
    return undefined;
  }
}

function parseText(text: string | undefined): JsonValue | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}

function toWellFormed(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(toWellFormed);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.toWellFormed(), toWellFormed(member)] as const),
  );
}

function isKnownShape(block: Readonly<Record<string, unknown>>): boolean {
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string";
    case "image":
    case "audio":
    case "file":
      return typeof block["data"] === "string" && typeof block["mimeType"] === "string";
    case "resource": {
      const resource = block["resource"];
      if (!isRecord(resource) || typeof resource["uri"] !== "string") return false;
      return typeof resource["text"] === "string" || typeof resource["blob"] === "string";
    }
    case "resource_link":
      return typeof block["uri"] === "string" && typeof block["name"] === "string";
    case "unknown":
      return isRecord(block["value"]);
    default:
      return false;
  }
}
