import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { unionOf } from "./describe-schema.ts";
import { refsOf, resolveRef } from "./resolve-ref.ts";
import { fits, propertiesOf, schemaOfItem, type SchemaWalk } from "./visit-schema.ts";

/** One field that was filled, so that it can be taken away again. */
export interface FilledField {
  readonly target: Record<string, JsonValue>;
  readonly name: string;
}

/** Whether a schema has a default anywhere: most have none, and skip the walk. */
export function hasDefaults(schema: unknown): boolean {
  const open: unknown[] = [schema];
  for (let seen = 0; open.length > 0 && seen < MAX_NODES; seen++) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isRecord(node) && Object.hasOwn(node, "default")) return true;
    open.push(...Object.values(node));
  }
  return false;
}

const MAX_NODES = 100_000;

/**
 * Fills absent fields with the defaults of their schemas, in place: at the root and in every object that is there. A default that
 * does not fit its own schema is none. Of a union, the one branch that fits.
 */
export function fillDefaults(walk: SchemaWalk, value: JsonValue): readonly FilledField[] {
  const filled: FilledField[] = [];
  fill(walk, { schema: walk.root, value, filled });
  return filled;
}

/** Takes away what `fillDefaults` filled. */
export function takeDefaultsAway(filled: readonly FilledField[]): void {
  for (const { target, name } of filled) delete target[name];
}

interface Task {
  readonly schema: unknown;
  readonly value: JsonValue;
  readonly filled: FilledField[];
}

function fill(walk: SchemaWalk, { schema, value, filled }: Task): void {
  if (!isRecord(schema) || typeof value !== "object" || value === null) return;
  if (--walk.steps < 0 || walk.frames <= 0) return;
  walk.frames--;
  if (Array.isArray(value)) fillItems(walk, { schema, value: value as readonly JsonValue[], filled }); // its items are JSON
  else fillMembers(walk, { schema, value: value as Record<string, JsonValue>, filled }); // the caller's own copy
  for (const inner of appliedOnce(walk, schema, value)) fill(walk, { schema: inner, value, filled });
  walk.frames++;
}

function fillItems(
  walk: SchemaWalk,
  { schema, value, filled }: Task & { readonly schema: Keywords; readonly value: readonly JsonValue[] },
): void {
  if (schema["items"] === undefined && schema["prefixItems"] === undefined) return;
  for (const [index, item] of value.entries()) fill(walk, { schema: schemaOfItem(schema, index), value: item, filled });
}

type Keywords = Readonly<Record<string, unknown>>;

function fillMembers(
  walk: SchemaWalk,
  { schema, value, filled }: Task & { readonly schema: Keywords; readonly value: Record<string, JsonValue> },
): void {
  const properties = propertiesOf(schema);
  for (const name of Object.keys(properties)) {
    const field = properties[name];
    if (!Object.hasOwn(value, name) && name !== "__proto__") {
      const fallback = defaultOf(walk, field);
      if (fallback === undefined) continue;
      value[name] = fallback;
      filled.push({ target: value, name });
    }
    fill(walk, { schema: field, value: value[name] ?? null, filled });
  }
  const others = schema["additionalProperties"];
  if (!isRecord(others)) return;
  for (const name of Object.keys(value)) {
    if (!Object.hasOwn(properties, name)) fill(walk, { schema: others, value: value[name] ?? null, filled });
  }
}

function defaultOf(walk: SchemaWalk, field: unknown): JsonValue | undefined {
  if (!isRecord(field) || !Object.hasOwn(field, "default")) return undefined;
  const fallback = field["default"] as JsonValue; // schemas are JSON
  if (fallback === undefined || !fits(walk, field, fallback)) return undefined;
  return typeof fallback === "object" ? structuredClone(fallback) : fallback;
}

/** The schemas that hold for the value as well and may say defaults. */
function appliedOnce(walk: SchemaWalk, schema: Keywords, value: JsonObject | readonly JsonValue[]): readonly unknown[] {
  const { allOf } = schema;
  const applied: unknown[] = refsOf(schema).map((ref) => resolveRef(walk.root, ref));
  if (Array.isArray(allOf)) applied.push(...(allOf as readonly unknown[])); // Array.isArray answers any[]
  const fitting = unionOf(schema)?.filter((branch) => fits(walk, branch, value)) ?? [];
  return fitting.length === 1 ? [...applied, fitting[0]] : applied;
}
