import { clipText, isRecord, type JsonValue } from "../json.ts";
import { previewJson } from "./preview-json.ts";
import type { SchemaNode } from "./resolve-ref.ts";

/** What a schema wants, in a few words: `integer`, `one of "a", "b"`, `array of string`, `string or null`. */
export function describeSchema(schema: unknown, depth = 2): string {
  if (typeof schema === "boolean" || !isRecord(schema)) return schema === false ? "no value" : "any value";
  if (Array.isArray(schema["enum"])) return describeEnum(schema["enum"]);
  if (Object.hasOwn(schema, "const")) return previewJson(schema["const"] as JsonValue, 60); // schemas are JSON
  const branches = unionOf(schema);
  if (branches && depth > 0) return describeUnion(branches, depth - 1);
  const types = typesOf(schema);
  if (types.length === 0) return "any value";
  return types.map((type) => describeType(type, schema, depth)).join(" or ");
}

/** The branches of a union, if the schema is one. */
export function unionOf(schema: Readonly<Record<string, unknown>>): readonly SchemaNode[] | undefined {
  const branches = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(branches) ? (branches as readonly SchemaNode[]) : undefined; // findSchemaFault checked what they are
}

/** The words of `type`. */
export function typesOf({ type }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((word): word is string => typeof word === "string") : [];
}

function describeEnum(values: readonly unknown[]): string {
  const shown = values.slice(0, 12).map((value) => previewJson(value as JsonValue, 40)); // schemas are JSON
  const more = values.length - shown.length;
  return `${values.length === 1 ? "" : "one of "}${shown.join(", ")}${more > 0 ? ` or ${more} others` : ""}`;
}

function describeUnion(branches: readonly SchemaNode[], depth: number): string {
  const words = new Set(branches.slice(0, 6).map((branch) => describeSchema(branch, depth)));
  return [...words].join(" or ");
}

function describeType(type: string, schema: Readonly<Record<string, unknown>>, depth: number): string {
  if (type === "array" && depth > 0 && isRecord(schema["items"])) {
    const items = describeSchema(schema["items"], depth - 1);
    return items === "any value" ? "array" : `array of ${items}`;
  }
  if (type === "string" && typeof schema["format"] === "string") return `string (${clipText(schema["format"], 30)})`;
  return type;
}
