import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import type { CompiledSchema, EngineError } from "./compile-schema.ts";
import type { SchemaIssue } from "./issue.ts";
import { previewJson } from "./preview-json.ts";
import { resolvePointer } from "./resolve-ref.ts";
import { findIssues, propertiesOf, startWalk, unknownField } from "./visit-schema.ts";

/** What to change about a value that the engine refused: by our own walk, else in the engine's words. Never empty. */
export function issuesOf(refused: {
  readonly schema: JsonObject;
  readonly compiled: CompiledSchema;
  readonly value: JsonValue;
}): readonly SchemaIssue[] {
  const found = findIssues(startWalk(refused.schema), refused.value);
  if (found.length > 0) return found;
  const worded = refused.compiled.errors(refused.value).flatMap((error) => wordedIssues(error, refused));
  return worded.length > 0 ? worded : [fallback(refused.value)];
}

function wordedIssues(
  { params, instancePath, message }: EngineError,
  { schema, value }: { readonly schema: JsonObject; readonly value: JsonValue },
): readonly SchemaIssue[] {
  const at = valueAt(value, instancePath);
  const place = { path: instancePath, optional: false };
  const unknown = params["unevaluatedProperties"];
  if (Array.isArray(unknown) && isRecord(at)) {
    const known = Object.keys(propertiesOf(schema));
    const names = unknown.filter((name): name is string => typeof name === "string");
    return names.map((name) => unknownField({ name, value: at[name] ?? null, place, known }));
  }
  return [{ ...place, expected: message, received: previewJson(at) }];
}

function valueAt(value: JsonValue, pointer: string): JsonValue {
  return (resolvePointer(value, pointer) ?? null) as JsonValue; // a member of a JSON value
}

function fallback(value: JsonValue): SchemaIssue {
  return { path: "", expected: "a value that fits the tool's schema", received: previewJson(value), optional: false };
}
