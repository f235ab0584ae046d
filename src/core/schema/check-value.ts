import { freezeJson, type JsonObject, type JsonValue } from "../json.ts";
import type { Coercion } from "../tool/result.ts";
import { compileSchema } from "./compile-schema.ts";
import type { SchemaIssue } from "./issue.ts";
export type CheckedValue =
  | { readonly ok: true; readonly value: JsonValue; readonly coercions: readonly Coercion[] }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };
export function checkValue(schema: JsonObject, value: unknown, _o?: { readonly coerce?: boolean }): CheckedValue {
  const copy = structuredClone(value) as JsonValue;
  const c = compileSchema(schema);
  if (c.check(copy)) return { ok: true, value: freezeJson(copy), coercions: [] };
  return {
    ok: false,
    issues: c.errors(copy).map((e) => ({ path: e.instancePath, expected: e.message, received: "?", optional: false })),
  };
}
