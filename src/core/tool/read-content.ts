import { freezeJson, isRecord, type JsonValue } from "../json.ts";
import type { Content } from "./content.ts";

/**
 * One block as a tool or server gave it, as our own frozen copy. A kind or shape that we do not know becomes `unknown`
 * and keeps its value; what is no JSON at all becomes text that says so.
 */
export function readContent(block: unknown): Content {
  const value = copyJson(block);
  if (!isRecord(value))
    return Object.freeze({ type: "text", text: value === undefined ? NOT_JSON : JSON.stringify(value) });
  return isKnownShape(value) ? (freezeJson(value) as Content) : freezeJson({ type: "unknown", value });
}

const NOT_JSON = "(a block that is not JSON)";

/** A plain copy, as JSON would carry it. Undefined for what JSON cannot carry: cycles, functions, a throwing getter. */
export function copyJson(value: unknown): JsonValue | undefined {
  try {
    const text = JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member));
    return text === undefined ? undefined : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
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
