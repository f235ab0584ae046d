import type { JsonObject, JsonValue } from "../json.ts";
import { coerceValue, type Coercion } from "./coerce.ts";
import { compileSchema, type CompiledSchema } from "./compile-schema.ts";
import { fillDefaults, hasDefaults, takeDefaultsAway } from "./defaults.ts";
import { issuesOf } from "./engine-issues.ts";
import { mayMultiply } from "./find-endless-ref.ts";
import type { SchemaIssue } from "./issue.ts";
import { copyPlain, findNonJson, NOT_PLAIN } from "./plain-copy.ts";
import { fits, startWalk } from "./visit-schema.ts";

/** A value that fits, as frozen JSON of our own; or what to change about it. */
export type CheckedValue =
  | { readonly ok: true; readonly value: JsonValue; readonly coercions: readonly Coercion[] }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** `coerce: false`: the value as it is, or not at all; nothing is coerced and no default is filled. */
export interface CheckOptions {
  readonly coerce?: boolean;
}

/**
 * Whether a value is what the schema says. Checks first; coerces only on failure; fills the defaults of absent fields. The value
 * given is neither changed nor frozen. Never throws; needs the schema engine loaded.
 */
export function checkValue(schema: JsonObject, value: unknown, { coerce = true }: CheckOptions = {}): CheckedValue {
  const copied = copyOf(value);
  if (copied === NOT_PLAIN) return refuseNonJson(value);
  try {
    const prepared = preparedOf(schema);
    if (prepared.mayMultiply && isTooMuchWork(schema, copied)) return { ok: false, issues: [TOO_MUCH_WORK] };
    if (!prepared.compiled.check(copied)) return coerce ? coerceAndCheck(prepared, copied) : refuse(prepared, copied);
    if (coerce && prepared.hasDefaults) fillIfFitting(prepared, copied);
    return pass(copied, NO_COERCIONS);
  } catch (error) {
    return { ok: false, issues: [unreadableSchema(error)] };
  }
}

interface Prepared {
  readonly schema: JsonObject;
  readonly compiled: CompiledSchema;
  readonly hasDefaults: boolean;
  readonly mayMultiply: boolean;
}

const NO_COERCIONS: readonly Coercion[] = Object.freeze([]);
const known = new WeakMap<JsonObject, Prepared>();

function preparedOf(schema: JsonObject): Prepared {
  const found = known.get(schema);
  if (found) return found;
  const fresh = {
    schema,
    compiled: compileSchema(schema),
    hasDefaults: hasDefaults(schema),
    mayMultiply: mayMultiply(schema),
  };
  known.set(schema, fresh);
  return fresh;
}

/** A rehearsal by our own walk, which can be stopped; the compiled check cannot. */
function isTooMuchWork(schema: JsonObject, value: JsonValue): boolean {
  const walk = startWalk(schema, REHEARSED_STEPS);
  fits(walk, schema, value);
  return walk.steps < 0;
}

const REHEARSED_STEPS = 300_000;
const TOO_MUCH_WORK: SchemaIssue = Object.freeze({
  path: "",
  expected: "a value that can be checked against this recursive schema in reasonable time",
  received: "one that takes too many steps",
  optional: false,
  hint: "send a smaller or flatter value",
});

function copyOf(value: unknown): JsonValue | typeof NOT_PLAIN {
  try {
    return copyPlain(value);
  } catch {
    return NOT_PLAIN;
  }
}

/** After the check: the engine reads a frozen object slowly. */
function pass(value: JsonValue, coercions: readonly Coercion[]): CheckedValue {
  if (typeof value === "object" && value !== null) freezeDeep(value);
  return { ok: true, value, coercions };
}

function freezeDeep(value: JsonObject | readonly JsonValue[]): void {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) if (typeof item === "object" && item !== null) freezeDeep(item);
  } else {
    const object = value as JsonObject; // Array.isArray does not narrow a readonly array
    for (const name in object) {
      const member = object[name];
      if (typeof member === "object" && member !== null) freezeDeep(member);
    }
  }
  Object.freeze(value);
}

/** Defaults that break what fitted without them are taken away again. */
function fillIfFitting({ schema, compiled }: Prepared, value: JsonValue): boolean {
  const filled = fillDefaults(startWalk(schema), value);
  if (filled.length === 0 || compiled.check(value)) return true;
  takeDefaultsAway(filled);
  return false;
}

function coerceAndCheck(prepared: Prepared, given: JsonValue): CheckedValue {
  const coercions: Coercion[] = [];
  const value = coerceValue(startWalk(prepared.schema), given, coercions);
  const isFit = coercions.length > 0 && prepared.compiled.check(value);
  if (!isFit && !(prepared.hasDefaults && fillsToFit(prepared, value))) return refuse(prepared, value);
  if (isFit && prepared.hasDefaults) fillIfFitting(prepared, value);
  return pass(value, Object.freeze(coercions));
}

/** Whether the defaults make the value fit: a required field may have one. */
function fillsToFit({ schema, compiled }: Prepared, value: JsonValue): boolean {
  const filled = fillDefaults(startWalk(schema), value);
  if (filled.length > 0 && compiled.check(value)) return true;
  takeDefaultsAway(filled);
  return false;
}

function refuse({ schema, compiled }: Prepared, value: JsonValue): CheckedValue {
  return { ok: false, issues: issuesOf({ schema, compiled, value }) };
}

function refuseNonJson(value: unknown): CheckedValue {
  const { path, reason } = findNonJson(value) ?? { path: "", reason: "a value that changed while it was read" };
  return { ok: false, issues: [{ path, expected: "a JSON value", received: reason, optional: false }] };
}

function unreadableSchema(error: unknown): SchemaIssue {
  const reason = error instanceof Error ? error.message : "unknown";
  return {
    path: "",
    expected: "a value that can be checked, but the tool's schema cannot be read",
    received: reason.slice(0, 80),
    optional: false,
    hint: "this is a fault of the tool, not of the call: do not repeat it",
  };
}
