import { isRecord, type JsonValue } from "../core/json.ts";
import type { ToolDescriptor } from "../core/tool/descriptor.ts";

/** A tool's input on one line: `read(path: string, offset?: integer)`. */
export function formatSignature({ name, inputSchema }: Pick<ToolDescriptor, "name" | "inputSchema">): string {
  const { properties, required } = inputSchema;
  const needed = Array.isArray(required) ? required : [];
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const parts = fields.map(([field, schema]) => `${field}${needed.includes(field) ? "" : "?"}: ${typeOf(schema)}`);
  return `${name}(${parts.join(", ")})`;
}

function typeOf(schema: unknown, depth = 0): string {
  if (!isRecord(schema) || depth > DEEPEST) return "any";
  const { type, enum: choices, const: only, items } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(choices)) return listChoices(choices);
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "array") return `${typeOf(items, depth + 1)}[]`;
  return typeof type === "string" ? type : "any";
}

const DEEPEST = 4;
const MOST_CHOICES = 6;

function listChoices(choices: readonly JsonValue[]): string {
  const shown = choices.slice(0, MOST_CHOICES).map((each) => JSON.stringify(each));
  return [...shown, ...(choices.length > MOST_CHOICES ? ["…"] : [])].join(" | ");
}
