import { clipText, equalJson, isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { compileSchema } from "./compile-schema.ts";
import { describeSchema } from "./describe-schema.ts";

type Keywords = Readonly<Record<string, unknown>>;

/** The first keyword about the value itself (not about its members) that it breaks, as what is expected; undefined if it meets them all. */
export function unmetKeyword(schema: Keywords, value: JsonValue): string | undefined {
  if (Array.isArray(schema["enum"]) && !schema["enum"].some((allowed) => equalJson(allowed, value))) {
    return describeSchema(schema);
  }
  if (Object.hasOwn(schema, "const") && !equalJson(schema["const"], value)) return describeSchema(schema);
  switch (typeof value) {
    case "string":
      return unmetByText(schema, value);
    case "number":
      return unmetByNumber(schema, value);
    case "object":
      if (Array.isArray(value)) return unmetByItems(schema, value as readonly JsonValue[]); // its items are JSON
      return isRecord(value) ? unmetByMembers(schema, Object.keys(value).length) : undefined;
    default:
      return undefined;
  }
}

function numberAt(schema: Keywords, keyword: string): number | undefined {
  const limit = schema[keyword];
  return typeof limit === "number" ? limit : undefined;
}

function unmetByNumber(schema: Keywords, value: number): string | undefined {
  const type = schema["type"] === "integer" ? "an integer" : "a number";
  const least = numberAt(schema, "minimum");
  if (least !== undefined && value < least) return `${type} of at least ${least}`;
  const most = numberAt(schema, "maximum");
  if (most !== undefined && value > most) return `${type} of at most ${most}`;
  const above = numberAt(schema, "exclusiveMinimum");
  if (above !== undefined && value <= above) return `${type} greater than ${above}`;
  const below = numberAt(schema, "exclusiveMaximum");
  if (below !== undefined && value >= below) return `${type} less than ${below}`;
  const step = numberAt(schema, "multipleOf");
  if (step !== undefined && !isMultiple(value, step)) return `a multiple of ${step}`;
  return undefined;
}

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-10;
}

function unmetByText(schema: Keywords, value: string): string | undefined {
  const [least, most] = [numberAt(schema, "minLength"), numberAt(schema, "maxLength")];
  if (least !== undefined || most !== undefined) {
    const { length } = Array.from(value);
    if (least !== undefined && length < least)
      return `a string of at least ${least} ${least === 1 ? "character" : "characters"}`;
    if (most !== undefined && length > most) return `a string of at most ${most} characters`;
  }
  const { format, pattern } = schema;
  if (typeof pattern === "string" && !matchesPattern(pattern, value))
    return `a string that matches ${clipText(pattern, 80)}`;
  if (typeof format === "string" && !hasFormat(format, value)) return `a string in the format ${clipText(format, 40)}`;
  return undefined;
}

/** Whether a text matches; a pattern that cannot be read is left to the engine. */
export function matchesPattern(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

const formatSchemas = new Map<string, JsonObject>();
/** More names than there are formats come only from a hostile schema. */
const MAX_FORMATS = 64;

function hasFormat(format: string, value: string): boolean {
  let schema = formatSchemas.get(format);
  if (!schema) {
    if (formatSchemas.size >= MAX_FORMATS) return true;
    schema = { format };
    formatSchemas.set(format, schema);
  }
  return compileSchema(schema).check(value);
}

function unmetByItems(schema: Keywords, items: readonly JsonValue[]): string | undefined {
  const least = numberAt(schema, "minItems");
  if (least !== undefined && items.length < least)
    return `an array of at least ${least} ${least === 1 ? "item" : "items"}`;
  const most = numberAt(schema, "maxItems");
  if (most !== undefined && items.length > most) return `an array of at most ${most} ${most === 1 ? "item" : "items"}`;
  if (schema["uniqueItems"] === true && new Set(items.map((item) => JSON.stringify(item))).size < items.length) {
    return "an array whose items all differ";
  }
  return undefined;
}

function unmetByMembers(schema: Keywords, count: number): string | undefined {
  const least = numberAt(schema, "minProperties");
  if (least !== undefined && count < least) return `an object of at least ${least} ${least === 1 ? "field" : "fields"}`;
  const most = numberAt(schema, "maxProperties");
  if (most !== undefined && count > most) return `an object of at most ${most} ${most === 1 ? "field" : "fields"}`;
  return undefined;
}
