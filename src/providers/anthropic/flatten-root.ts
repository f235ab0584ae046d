import { equalJson, isRecord } from "../../core/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The root of a schema without combinators and references: what a model needs to know to fill it. */
export interface FlatRoot {
  readonly properties: Schema;
  readonly required: readonly string[];
  /** Every other keyword of the root but `type`, as the author wrote it. */
  readonly rest: Schema;
}

/**
 * Moves what the root's `allOf`, `anyOf`, `oneOf` and local `$ref` say about properties into the root itself. A property
 * of several branches takes any of their schemas; one is required when every way through the branches requires it.
 * Wider than the author's schema: what it lets through besides is refused at dispatch.
 */
export function flattenRoot(root: Schema): FlatRoot {
  const { type: _type, $schema: _dialect, properties, required, allOf, anyOf, oneOf, $ref, ...rest } = root;
  if ([allOf, anyOf, oneOf, $ref].every((keyword) => keyword === undefined)) {
    return { properties: isRecord(properties) ? properties : {}, required: namesIn(required), rest };
  }
  const shape = readShape(root, { root, visits: MOST_VISITS }, 0);
  const hint = describeChoice(anyOf, oneOf);
  return {
    properties: Object.fromEntries([...shape.properties, ...shape.optional]),
    required: [...shape.required],
    rest: hint === undefined ? rest : { ...rest, description: joinText(rest["description"], hint) },
  };
}

/** What one schema says about the properties of an object. */
interface Shape {
  /** Bound by every way through the branches. */
  readonly properties: Properties;
  /** Named on some ways only: shown where nothing else says what the property is. */
  readonly optional: Properties;
  readonly required: ReadonlySet<string>;
}

/** Bounds for hostile schemas: nested references multiply. */
const MOST_VISITS = 500;
const DEEPEST = 8;
interface Reading {
  readonly root: Schema;
  visits: number;
}

function readShape(schema: unknown, reading: Reading, depth: number): Shape {
  if (!isRecord(schema) || depth > DEEPEST || reading.visits <= 0) return NOTHING;
  reading.visits -= 1;
  const read = (part: unknown): Shape => readShape(part, reading, depth + 1);
  const all: Shape[] = [ownShape(schema)];
  if (schema["$ref"] !== undefined) all.push(read(resolveLocal(schema["$ref"], reading.root)));
  for (const part of listOf(schema["allOf"])) all.push(read(part));
  for (const choices of [schema["anyOf"], schema["oneOf"]]) {
    if (Array.isArray(choices)) all.push(mergeChoices(choices.map(read)));
  }
  return mergeAll(all);
}

const NOTHING: Shape = { properties: new Map(), optional: new Map(), required: new Set() };

function ownShape({ properties, required }: Schema): Shape {
  return {
    properties: new Map(isRecord(properties) ? Object.entries(properties) : []),
    optional: new Map(),
    required: new Set(namesIn(required)),
  };
}

function mergeAll(shapes: readonly Shape[]): Shape {
  const properties = mergeProperties(
    shapes.map((shape) => shape.properties),
    "allOf",
  );
  const optional = mergeProperties(
    shapes.map((shape) => shape.optional),
    "anyOf",
  );
  for (const name of properties.keys()) optional.delete(name);
  return { properties, optional, required: new Set(shapes.flatMap(({ required }) => [...required])) };
}

function mergeChoices(shapes: readonly Shape[]): Shape {
  const [first = NOTHING, ...others] = shapes;
  const inEvery = [...first.required].filter((name) => others.every(({ required }) => required.has(name)));
  const optional = mergeProperties(
    shapes.flatMap((shape) => [shape.properties, shape.optional]),
    "anyOf",
  );
  const properties = new Map([...optional].filter(([name]) => shapes.every((shape) => shape.properties.has(name))));
  for (const name of properties.keys()) optional.delete(name);
  return { properties, optional, required: new Set(inEvery) };
}

type Properties = ReadonlyMap<string, unknown>;

function mergeProperties(maps: readonly Properties[], keyword: "allOf" | "anyOf"): Map<string, unknown> {
  const variants = new Map<string, unknown[]>();
  for (const properties of maps) {
    for (const [name, schema] of properties) {
      const known = variants.get(name);
      if (!known) variants.set(name, [schema]);
      else if (!known.some((other) => equalJson(other, schema))) known.push(schema);
    }
  }
  return new Map([...variants].map(([name, list]) => [name, list.length === 1 ? list[0] : { [keyword]: list }]));
}

/** `#` and `#/a/b` inside the same schema; anything else is not followed. */
function resolveLocal(ref: unknown, root: Schema): unknown {
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split("/")) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

/** Says in words what is lost when branches differ in nothing but what they require. */
function describeChoice(anyOf: unknown, oneOf: unknown): string | undefined {
  const choices = listOf(oneOf ?? anyOf).map((branch) => (isRecord(branch) ? namesIn(branch["required"]) : []));
  if (choices.length < 2 || choices.length > 12 || choices.some((names) => names.length === 0)) return undefined;
  const amount = oneOf === undefined ? "At least" : "Exactly";
  return `${amount} one of these must be given: ${choices.map((names) => names.join(" with ")).join("; ")}.`;
}

function joinText(before: unknown, hint: string): string {
  return typeof before === "string" && before !== "" ? `${before}\n${hint}` : hint;
}

function namesIn(required: unknown): string[] {
  return [...new Set(listOf(required).filter((name) => typeof name === "string"))];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
