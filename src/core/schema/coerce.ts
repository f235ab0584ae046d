import { equalJson, isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { typesOf, unionOf } from "./describe-schema.ts";
import { previewJson } from "./preview-json.ts";
import { readText } from "./read-text.ts";
import { escapePointer } from "./scan-json.ts";
import {
  appliedSchemas,
  fits,
  hasType,
  propertiesOf,
  requiredOf,
  schemaOfItem,
  schemasOfOther,
  type SchemaWalk,
} from "./visit-schema.ts";

/** One value that was read as the type its schema wants. `path` is a JSON Pointer; `from` and `to` are clipped JSON. */
export interface Coercion {
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** `to` of a null that was taken for an absent field. */
const ABSENT = "absent";

/**
 * Reads text as the type that the schema wants, per value, only where the value does not fit and exactly one reading does; and
 * a null for an optional field that takes no null as absent. Returns the value itself where nothing changes, else a copy;
 * each change is added to `log`. Whether the whole passes is for the engine to say.
 */
export function coerceValue(walk: SchemaWalk, value: JsonValue, log: Coercion[]): JsonValue {
  return coerce(walk, { schema: walk.root, value, path: "", log });
}

interface Task {
  readonly schema: unknown;
  readonly value: JsonValue;
  readonly path: string;
  readonly log: Coercion[];
}

function coerce(walk: SchemaWalk, task: Task): JsonValue {
  const { schema } = task;
  if (!isRecord(schema) || --walk.steps < 0 || walk.frames <= 0) return task.value;
  walk.frames--;
  const value = coerceBy(walk, { ...task, schema });
  walk.frames++;
  return value;
}

interface KeywordTask extends Task {
  readonly schema: Keywords;
}

type Keywords = Readonly<Record<string, unknown>>;

function coerceBy(walk: SchemaWalk, task: KeywordTask): JsonValue {
  const { schema, path, log } = task;
  let value = coerceText(walk, task);
  value = coerceMembers(walk, { ...task, value });
  value = coerceItems(walk, { ...task, value });
  for (const inner of appliedSchemas(walk, schema, value)) value = coerce(walk, { schema: inner, value, path, log });
  return coerceUnion(walk, { ...task, value });
}

function coerceText(walk: SchemaWalk, { schema, value, path, log }: KeywordTask): JsonValue {
  if (typeof value !== "string") return value;
  const types = wantedTypes(schema);
  if (types.length === 0 || (hasType(schema, value) && fits(walk, schema, value))) return value;
  const found: Candidate[] = [];
  for (const type of types) {
    const read = readText(value, type);
    if (read === undefined) continue;
    const inner: Coercion[] = [];
    addCandidate(walk, found, { schema, value: coerce(walk, { schema, value: read, path, log: inner }), log: inner });
  }
  const [only] = found;
  if (found.length !== 1 || !only) return value;
  log.push({ path, from: previewJson(value), to: previewJson(only.value) }, ...only.log);
  return only.value;
}

interface Candidate {
  readonly value: JsonValue;
  readonly log: readonly Coercion[];
}

function addCandidate(
  walk: SchemaWalk,
  found: Candidate[],
  { schema, value, log }: Candidate & { readonly schema: unknown },
): void {
  if (fits(walk, schema, value) && !found.some((known) => equalJson(known.value, value))) found.push({ value, log });
}

/** The types that a schema names, or those of the values that it lists. */
function wantedTypes(schema: Keywords): readonly string[] {
  const types = typesOf(schema);
  if (types.length > 0) return types;
  const listed: readonly unknown[] = Array.isArray(schema["enum"])
    ? schema["enum"]
    : Object.hasOwn(schema, "const")
      ? [schema["const"]]
      : [];
  return ["number", "boolean"].filter((type) => listed.some((value) => typeof value === type));
}

function coerceMembers(walk: SchemaWalk, { schema, value, path, log }: KeywordTask): JsonValue {
  if (!isObject(value)) return value;
  const required = requiredOf(schema);
  const properties = propertiesOf(schema);
  let changed: Record<string, JsonValue> | undefined;
  for (const name of Object.keys(value)) {
    const member = value[name] ?? null;
    const memberPath = `${path}/${escapePointer(name)}`;
    const named = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (member === null && named !== undefined && !required.includes(name) && !fits(walk, named, null)) {
      changed ??= { ...value };
      delete changed[name];
      log.push({ path: memberPath, from: "null", to: ABSENT });
      continue;
    }
    let coerced = named === undefined ? member : coerce(walk, { schema: named, value: member, path: memberPath, log });
    for (const other of schemasOfOther(schema, name))
      coerced = coerce(walk, { schema: other, value: coerced, path: memberPath, log });
    if (coerced === member) continue;
    changed ??= { ...value };
    changed[name] = coerced;
  }
  return changed ?? value;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

function coerceItems(walk: SchemaWalk, { schema, value, path, log }: KeywordTask): JsonValue {
  if (!isArray(value) || (schema["items"] === undefined && schema["prefixItems"] === undefined)) return value;
  let changed: JsonValue[] | undefined;
  for (const [index, item] of value.entries()) {
    const coerced = coerce(walk, { schema: schemaOfItem(schema, index), value: item, path: `${path}/${index}`, log });
    if (coerced === item) continue;
    changed ??= [...value];
    changed[index] = coerced;
  }
  return changed ?? value;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** A union that takes the value as it is leaves it alone; else it is coerced if the branches lead to exactly one value. */
function coerceUnion(walk: SchemaWalk, { schema, value, path, log }: KeywordTask): JsonValue {
  const branches = unionOf(schema);
  if (!branches || branches.some((branch) => fits(walk, branch, value))) return value;
  const found: Candidate[] = [];
  for (const branch of branches) {
    const inner: Coercion[] = [];
    const coerced = coerce(walk, { schema: branch, value, path, log: inner });
    if (inner.length > 0) addCandidate(walk, found, { schema: branch, value: coerced, log: inner });
  }
  const [only] = found;
  if (found.length !== 1 || !only) return value;
  log.push(...only.log);
  return only.value;
}
