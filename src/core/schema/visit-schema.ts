import { isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { describeSchema, typesOf, unionOf } from "./describe-schema.ts";
import { NO_FIELD, NOTHING, type SchemaIssue } from "./issue.ts";
import { nearestKeys } from "./nearest-keys.ts";
import { previewJson } from "./preview-json.ts";
import { refsOf, resolveRef, type SchemaNode } from "./resolve-ref.ts";
import { escapePointer } from "./scan-json.ts";
import { matchesPattern, unmetKeyword } from "./unmet-keyword.ts";

/**
 * A walk over a value that the engine has refused: to find what to coerce and what to say. The engine alone decides
 * whether a value passes; this walk knows most keywords, not all, and is bounded whatever the schema.
 */
export interface SchemaWalk {
  readonly root: JsonObject;
  /** Steps left. A walk without steps fits nothing and finds nothing. */
  steps: number;
  /** Frames left. Without them there are no steps either. */
  frames: number;
}

/** Enough for an honest input; a few milliseconds for a hostile schema. */
const STEPS = 20_000;
const FRAMES = 1200;

export function startWalk(root: JsonObject, steps = STEPS): SchemaWalk {
  return { root, steps, frames: FRAMES };
}

/** Where a value stands, for its issues. */
export interface Place {
  readonly path: string;
  readonly optional: boolean;
}

type Keywords = Readonly<Record<string, unknown>>;
type Sink = SchemaIssue[] | undefined;

const ANYWHERE: Place = { path: "", optional: false };
/** How many issues one walk collects. */
const MAX_ISSUES = 50;

/** Whether the value fits, as far as this walk can tell. */
export function fits(walk: SchemaWalk, schema: unknown, value: JsonValue): boolean {
  return visit(walk, { schema, value, place: ANYWHERE, sink: undefined });
}

/** Everything to change about a value. Empty for a value that fits, and for one whose fault this walk does not know. */
export function findIssues(walk: SchemaWalk, value: JsonValue): readonly SchemaIssue[] {
  const said = new Set<string>();
  return findIssuesBy(walk, walk.root, value).filter(({ path, expected }) => {
    const key = `${path} ${expected}`;
    if (said.has(key)) return false;
    said.add(key);
    return true;
  });
}

function findIssuesBy(walk: SchemaWalk, schema: unknown, value: JsonValue): readonly SchemaIssue[] {
  const sink: SchemaIssue[] = [];
  visit(walk, { schema, value, place: ANYWHERE, sink });
  return sink;
}

interface Visit {
  readonly schema: unknown;
  readonly value: JsonValue;
  readonly place: Place;
  /** Absent: stop at the first fault. */
  readonly sink: Sink;
}

function visit(walk: SchemaWalk, { schema, value, place, sink }: Visit): boolean {
  if (schema === false) return refuse(sink, place, "no value", value);
  if (!isRecord(schema)) return true;
  if (walk.frames <= 0) walk.steps = 0;
  if (--walk.steps < 0) return false;
  if (sink && sink.length >= MAX_ISSUES) return false;
  walk.frames--;
  const isFit = visitKeywords(walk, { schema, value, place, sink });
  walk.frames++;
  return isFit;
}

interface KeywordVisit extends Visit {
  readonly schema: Keywords;
}

function visitKeywords(walk: SchemaWalk, at: KeywordVisit): boolean {
  const { schema, value, place, sink } = at;
  if (!hasType(schema, value)) return refuse(sink, place, describeSchema(schema), value);
  const unmet = unmetKeyword(schema, value);
  let isFit = unmet === undefined || refuse(sink, place, unmet, value);
  for (const step of [visitMembers, visitItems, visitCombinations, visitUnion]) {
    if (!isFit && !sink) return false;
    isFit = step(walk, at) && isFit;
  }
  return isFit;
}

/** Whether the value has one of the schema's types. */
export function hasType(schema: Keywords, value: JsonValue): boolean {
  const types = typesOf(schema);
  return types.length === 0 || types.some((type) => isOfType(type, value));
}

function isOfType(type: string, value: JsonValue): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function refuse(sink: Sink, place: Place, expected: string, value: JsonValue): false {
  const hint = hintFor(place, value);
  sink?.push({ ...place, expected, received: previewJson(value), ...(hint === undefined ? {} : { hint }) });
  return false;
}

const PLACEHOLDERS = new Set([
  "",
  "unknown",
  "default",
  "none",
  "null",
  "undefined",
  "n/a",
  "na",
  "nil",
  "-",
  "string",
  "todo",
]);

/** What models send for want of a value, where they may send nothing. */
function hintFor({ optional }: Place, value: JsonValue): string | undefined {
  if (!optional || typeof value !== "string" || !PLACEHOLDERS.has(value.trim().toLowerCase())) return undefined;
  return "leave the field out if there is no value for it";
}

// ---- members

function visitMembers(walk: SchemaWalk, at: KeywordVisit): boolean {
  if (!isObject(at.value)) return true;
  const object: ObjectVisit = { ...at, value: at.value };
  let isFit = visitRequired(object);
  for (const step of [visitProperties, visitOtherMembers, visitDependents]) {
    if (!isFit && !at.sink) return false;
    isFit = step(walk, object) && isFit;
  }
  return isFit;
}

function isObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

interface ObjectVisit extends KeywordVisit {
  readonly value: JsonObject;
}

/** The names that a schema requires. */
export function requiredOf({ required }: Keywords): readonly string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** The schemas of the fields that a schema names. */
export function propertiesOf({ properties }: Keywords): Keywords {
  return isRecord(properties) ? properties : NO_KEYWORDS;
}

const NO_KEYWORDS: Keywords = Object.freeze({});

function visitRequired({ schema, value, place, sink }: ObjectVisit): boolean {
  let isFit = true;
  for (const name of requiredOf(schema)) {
    if (Object.hasOwn(value, name)) continue;
    isFit = false;
    if (!sink) return false;
    const properties = propertiesOf(schema);
    const expected = describeSchema(Object.hasOwn(properties, name) ? properties[name] : true);
    sink.push({ path: childPath(place, name), expected, received: NOTHING, optional: false });
  }
  return isFit;
}

function childPath({ path }: Place, name: string | number): string {
  return `${path}/${typeof name === "number" ? name : escapePointer(name)}`;
}

function visitProperties(walk: SchemaWalk, { schema, value, place, sink }: ObjectVisit): boolean {
  const properties = propertiesOf(schema);
  const required = requiredOf(schema);
  let isFit = true;
  for (const name of Object.keys(properties)) {
    const member = ownMember(value, name);
    if (member === undefined) continue;
    const child = sink ? { path: childPath(place, name), optional: !required.includes(name) } : place;
    isFit = visit(walk, { schema: properties[name], value: member, place: child, sink }) && isFit;
    if (!isFit && !sink) return false;
  }
  return isFit;
}

function ownMember(value: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The schemas for a member that `properties` does not name: of its patterns, else `additionalProperties`. */
export function schemasOfOther(schema: Keywords, name: string): readonly unknown[] {
  const { patternProperties, additionalProperties } = schema;
  const patterns = isRecord(patternProperties) ? patternProperties : NO_KEYWORDS;
  const matching = Object.keys(patterns).filter((pattern) => matchesPattern(pattern, name));
  if (matching.length > 0) return matching.map((pattern) => patterns[pattern]);
  const isNamed = Object.hasOwn(propertiesOf(schema), name);
  return isNamed || additionalProperties === undefined ? [] : [additionalProperties];
}

function visitOtherMembers(walk: SchemaWalk, at: ObjectVisit): boolean {
  const { schema, value, place, sink } = at;
  if (
    !["additionalProperties", "patternProperties", "propertyNames"].some((keyword) => schema[keyword] !== undefined)
  ) {
    return true;
  }
  let isFit = true;
  for (const name of Object.keys(value).toSorted()) {
    if (--walk.steps < 0) return false;
    const child = { path: childPath(place, name), optional: true };
    for (const other of schemasOfOther(schema, name)) {
      const member = value[name] ?? null;
      isFit =
        (other === false
          ? refuseUnknown(at, name)
          : visit(walk, { schema: other, value: member, place: child, sink })) && isFit;
    }
    isFit = visitName(walk, { at, name, child }) && isFit;
    if (!isFit && !sink) return false;
  }
  return isFit;
}

function refuseUnknown({ schema, value, place, sink }: ObjectVisit, name: string): false {
  sink?.push(unknownField({ name, value: value[name] ?? null, place, known: Object.keys(propertiesOf(schema)) }));
  return false;
}

/** The issue of a field that the schema does not know. */
export function unknownField(field: {
  readonly name: string;
  readonly value: JsonValue;
  readonly place: Place;
  readonly known: readonly string[];
}): SchemaIssue {
  const near = nearestKeys(field.name, field.known).map((key) => JSON.stringify(key));
  const some = field.known.slice(0, 12).map((key) => JSON.stringify(key));
  const hint =
    near.length > 0
      ? `did you mean ${near.join(" or ")}?`
      : some.length > 0
        ? `leave it out; the fields are ${some.join(", ")}${field.known.length > some.length ? " …" : ""}`
        : "leave it out; no fields are taken";
  const path = childPath(field.place, field.name);
  return { path, expected: NO_FIELD, received: previewJson(field.value), optional: true, hint };
}

function visitName(
  walk: SchemaWalk,
  { at, name, child }: { readonly at: ObjectVisit; readonly name: string; readonly child: Place },
): boolean {
  const names = at.schema["propertyNames"];
  if (names === undefined || fits(walk, names, name)) return true;
  const [fault] = findIssuesBy(walk, names, name);
  at.sink?.push({ ...child, expected: `a name like: ${fault?.expected ?? "any"}`, received: previewJson(name) });
  return false;
}

function visitDependents(walk: SchemaWalk, at: ObjectVisit): boolean {
  const { schema, value, place, sink } = at;
  let isFit = true;
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    const table = schema[keyword];
    if (!isRecord(table)) continue;
    for (const name of Object.keys(table).filter((name) => Object.hasOwn(value, name))) {
      const dependent = table[name];
      const inner = Array.isArray(dependent) ? { ...propertiesAndRequired(schema, dependent) } : dependent;
      isFit = visit(walk, { schema: inner, value, place, sink }) && isFit;
    }
  }
  return isFit;
}

/** As a schema: these names are required. The properties only say what is expected of them. */
function propertiesAndRequired(schema: Keywords, required: unknown): Keywords {
  const named = requiredOf({ required });
  const properties = propertiesOf(schema);
  return {
    required: named,
    properties: Object.fromEntries(
      named.filter((name) => Object.hasOwn(properties, name)).map((name) => [name, properties[name]]),
    ),
  };
}

// ---- items

/** The schema of one item. */
export function schemaOfItem(schema: Keywords, index: number): unknown {
  const { prefixItems, items, additionalItems } = schema;
  const prefix: readonly unknown[] | undefined = Array.isArray(prefixItems)
    ? prefixItems
    : Array.isArray(items)
      ? items
      : undefined;
  if (prefix && index < prefix.length) return prefix[index];
  return Array.isArray(items) ? (additionalItems ?? true) : (items ?? true);
}

function visitItems(walk: SchemaWalk, { schema, value, place, sink }: KeywordVisit): boolean {
  if (!isArray(value) || !["items", "prefixItems", "contains"].some((keyword) => schema[keyword] !== undefined))
    return true;
  let isFit = true;
  for (const [index, item] of value.entries()) {
    const child = sink ? { path: childPath(place, index), optional: false } : place;
    isFit = visit(walk, { schema: schemaOfItem(schema, index), value: item, place: child, sink }) && isFit;
    if ((!isFit && !sink) || walk.steps < 0) return false;
  }
  return visitContained(walk, { schema, value, place, sink }) && isFit;
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function visitContained(walk: SchemaWalk, { schema, value, place, sink }: KeywordVisit): boolean {
  const { contains, minContains = 1, maxContains = Infinity } = schema;
  if (contains === undefined || !isArray(value)) return true;
  const count = value.filter((item) => fits(walk, contains, item)).length;
  if (count >= Number(minContains) && count <= Number(maxContains)) return true;
  const most = maxContains === Infinity ? "" : ` and at most ${Number(maxContains)}`;
  return refuse(
    sink,
    place,
    `an array with at least ${Number(minContains)}${most} of: ${describeSchema(contains)}`,
    value,
  );
}

// ---- combinations

function visitCombinations(walk: SchemaWalk, at: KeywordVisit): boolean {
  const { schema, value, place, sink } = at;
  let isFit = true;
  for (const inner of appliedSchemas(walk, schema, value)) {
    isFit = visit(walk, { schema: inner, value, place, sink }) && isFit;
    if (!isFit && !sink) return false;
  }
  if (schema["not"] !== undefined && fits(walk, schema["not"], value)) {
    return refuse(sink, place, `a value other than: ${describeSchema(schema["not"])}`, value);
  }
  return isFit;
}

/** The schemas that hold for the same value as well: the target of `$ref`, `allOf`, and what an `if` leads to. */
export function appliedSchemas(walk: SchemaWalk, schema: Keywords, value: JsonValue): readonly unknown[] {
  const { allOf, if: condition } = schema;
  const applied: unknown[] = refsOf(schema).map((ref) => resolveRef(walk.root, ref) ?? true);
  if (Array.isArray(allOf)) applied.push(...(allOf as readonly unknown[])); // Array.isArray answers any[]
  if (condition !== undefined) applied.push((fits(walk, condition, value) ? schema["then"] : schema["else"]) ?? true);
  return applied;
}

function visitUnion(walk: SchemaWalk, at: KeywordVisit): boolean {
  const { schema, value, place, sink } = at;
  const branches = unionOf(schema);
  if (!branches) return true;
  if (Array.isArray(schema["anyOf"]) && branches.some((branch) => fits(walk, branch, value))) return true;
  const fitting = Array.isArray(schema["anyOf"]) ? 0 : branches.filter((branch) => fits(walk, branch, value)).length;
  if (fitting === 1) return true;
  if (!sink) return false;
  if (fitting > 1) return refuse(sink, place, "a value that fits only one of the alternatives", value);
  sink.push(...issuesOfNearest(walk, { branches, value, place }));
  return false;
}

interface UnionVisit {
  readonly branches: readonly SchemaNode[];
  readonly value: JsonValue;
  readonly place: Place;
}

/** What is wrong by the branch that the value comes nearest to; by all of them where none takes a value of its kind. */
function issuesOfNearest(walk: SchemaWalk, { branches, value, place }: UnionVisit): readonly SchemaIssue[] {
  let nearest: readonly SchemaIssue[] = [];
  let least = Infinity;
  for (const branch of branches) {
    const sink: SchemaIssue[] = [];
    visit(walk, { schema: branch, value, place, sink });
    const distance =
      sink.length === 0
        ? Infinity
        : sink.reduce((sum, issue) => sum + weightOf(issue, { branch, value, place, walk }), 0);
    if (distance < least) [nearest, least] = [sink, distance];
  }
  if (least < OTHER_KIND) return nearest;
  const sink: SchemaIssue[] = [];
  refuse(sink, place, describeSchema({ anyOf: branches.map((branch) => targetOf(walk, branch)) }), value);
  return sink;
}

const OTHER_KIND = 1000;
const OTHER_TAG = 50;

/** A fault of the value itself outweighs one of a tag, and that one outweighs others. */
function weightOf(
  issue: SchemaIssue,
  {
    branch,
    value,
    place,
    walk,
  }: { readonly branch: SchemaNode; readonly value: JsonValue; readonly place: Place; readonly walk: SchemaWalk },
): number {
  if (issue.path === place.path) return OTHER_KIND;
  const name = issue.path.slice(place.path.length + 1);
  const target = targetOf(walk, branch);
  const field = isRecord(target) && Object.hasOwn(propertiesOf(target), name) ? propertiesOf(target)[name] : undefined;
  const isTag = isRecord(field) && (Object.hasOwn(field, "const") || Array.isArray(field["enum"])) && isObject(value);
  return isTag ? OTHER_TAG : 1;
}

function targetOf(walk: SchemaWalk, branch: SchemaNode): SchemaNode {
  if (typeof branch === "boolean" || typeof branch["$ref"] !== "string") return branch;
  return resolveRef(walk.root, branch["$ref"]) ?? true;
}
