import type { JsonValue } from "../json.ts";
import { parseInput } from "./parse-input.ts";

/**
 * A text as a value of another type, where it is that value's JSON: `20`, `-0.5`, `true`, `["x"]`. A number must be written as
 * JSON writes it, so that nothing of the text is lost: `007`, `1.0`, `20 lines` and digits beyond precision are no readings.
 */
export function readText(text: string, type: string): JsonValue | undefined {
  switch (type) {
    case "number":
    case "integer":
      return readNumber(text, type);
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "array":
      return text.trimStart().startsWith("[") ? readStructure(text) : undefined;
    case "object":
      return text.trimStart().startsWith("{") ? readStructure(text) : undefined;
    default:
      return undefined;
  }
}

function readNumber(text: string, type: "number" | "integer"): number | undefined {
  const value = Number(text);
  if (!Number.isFinite(value) || String(value) !== text) return undefined;
  return type === "number" || Number.isInteger(value) ? value : undefined;
}

function readStructure(text: string): JsonValue | undefined {
  const parsed = parseInput(text);
  return parsed.kind === "value" ? (parsed.value as JsonValue) : undefined; // JSON.parse made it
}
