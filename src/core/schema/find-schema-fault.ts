import { clipText, isRecord } from "../json.ts";
import { findEndlessRef } from "./find-endless-ref.ts";
import { copyPlain, findNonJson, NOT_PLAIN } from "./plain-copy.ts";
import { resolveRef } from "./resolve-ref.ts";
import { escapePointer } from "./scan-json.ts";

/** Why something is no usable JSON Schema. `path` is a JSON Pointer into it. */
export interface SchemaFault {
  readonly path: string;
  readonly message: string;
}

/** `input`: the root must describe an object. `output`: anything. */
export type SchemaSide = "input" | "output";

/**
 * The first thing about a value that keeps it from being the schema of a tool: what is no JSON Schema (2020-12, and what draft 7
 * spells differently), what refers to nothing, what no walk could end on. A walk, no compilation. Never throws.
 */
export function findSchemaFault(schema: unknown, side: SchemaSide = "input"): SchemaFault | undefined {
  try {
    return findFault(schema, side);
  } catch {
    return { path: "", message: "it cannot be read" };
  }
}

function findFault(schema: unknown, side: SchemaSide): SchemaFault | undefined {
  if (!isRecord(schema)) return { path: "", message: "a tool's schema must be a JSON object" };
  const rootFault = side === "input" ? faultOfInputRoot(schema) : undefined;
  if (rootFault !== undefined) return { path: "/type", message: rootFault };
  const search: Search = { root: schema, refs: [], nodes: MAX_NODES };
  return visitNode(search, { node: schema, path: "", depth: MAX_DEPTH, resource: schema }) ?? faultOfRefs(search);
}

const MAX_NODES = 50_000;
const MAX_DEPTH = 100;

interface Search {
  readonly root: Keywords;
  readonly refs: { readonly path: string; readonly ref: string; readonly resource: Keywords }[];
  /** How many nodes may still be read. */
  nodes: number;
}

type Keywords = Readonly<Record<string, unknown>>;

interface At {
  readonly node: unknown;
  readonly path: string;
  readonly depth: number;
  /** The nearest schema above with an `$id`, else the root: what a `#` starts from. */
  readonly resource: Keywords;
}

function faultOfInputRoot({ type }: Keywords): string | undefined {
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObject ? undefined : `the schema of an input must describe an object, not ${quote(type)}`;
}

/** What each keyword must hold. Those that are not here are data that nothing reads. */
const KEYWORDS: ReadonlyMap<string, (search: Search, at: At, keyword: string) => SchemaFault | undefined> = new Map([
  ...each(
    ["additionalProperties", "additionalItems", "contains", "not", "if", "then", "else", "propertyNames"],
    visitSchema,
  ),
  ...each(["unevaluatedItems", "unevaluatedProperties", "contentSchema"], visitSchema),
  ...each(["allOf", "anyOf", "oneOf", "prefixItems"], visitList),
  ...each(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"], visitTable),
  ...each(["minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"], visitNumber),
  ...each(["minProperties", "maxProperties", "minContains", "maxContains"], visitNumber),
  ...each(["exclusiveMinimum", "exclusiveMaximum"], visitLimit),
  ...each(["default", "const", "examples"], visitData),
  ...each(["items"], visitItems),
  ...each(["dependencies"], visitDependencies),
  ...each(["dependentRequired"], visitNameLists),
  ...each(["required"], visitNames),
  ...each(["type"], visitType),
  ...each(["enum"], visitEnum),
  ...each(["pattern"], visitPattern),
  ...each(["$ref", "$dynamicRef", "$recursiveRef"], visitRef),
]);

type Visit = (search: Search, at: At, keyword: string) => SchemaFault | undefined;

function each(keywords: readonly string[], visit: Visit): readonly (readonly [string, Visit])[] {
  return keywords.map((keyword) => [keyword, visit] as const);
}

/** `at.node` is the schema; a keyword's visit gets the keyword's value as its node. */
function visitNode(search: Search, at: At): SchemaFault | undefined {
  const { node, path, depth } = at;
  if (typeof node === "boolean") return undefined;
  if (!isRecord(node)) return { path, message: `a schema must be an object or a boolean, not ${quote(node)}` };
  if (depth <= 0) return { path: "", message: `it nests more than ${MAX_DEPTH} levels deep, or holds itself` };
  if (--search.nodes < 0) return { path: "", message: `it has more than ${MAX_NODES} parts` };
  const resource = path !== "" && typeof node["$id"] === "string" ? node : at.resource;
  for (const keyword of Object.keys(node)) {
    const value = node[keyword];
    if (value === undefined) continue;
    const visit = KEYWORDS.get(keyword) ?? visitOther;
    const fault = visit(
      search,
      { node: value, path: `${path}/${escapePointer(keyword)}`, depth: depth - 1, resource },
      keyword,
    );
    if (fault) return fault;
  }
  return undefined;
}

function visitSchema(search: Search, at: At): SchemaFault | undefined {
  return visitNode(search, at);
}

function visitList(search: Search, at: At, keyword: string): SchemaFault | undefined {
  const { node, path, depth } = at;
  if (!Array.isArray(node)) return { path, message: `"${keyword}" must be a list of schemas, not ${quote(node)}` };
  for (const [index, item] of (node as readonly unknown[]).entries()) {
    const fault = visitNode(search, { ...at, node: item, path: `${path}/${index}`, depth: depth - 1 });
    if (fault) return fault;
  }
  return undefined;
}

function visitTable(search: Search, at: At, keyword: string): SchemaFault | undefined {
  const { node, path, depth } = at;
  if (!isRecord(node)) return { path, message: `"${keyword}" must be an object of schemas, not ${quote(node)}` };
  for (const name of Object.keys(node)) {
    const inner: At = { ...at, node: node[name], path: `${path}/${escapePointer(name)}`, depth: depth - 1 };
    if (name === "__proto__") return { path: inner.path, message: "no field may be named __proto__" };
    if (inner.node === undefined) continue;
    const fault =
      (keyword === "patternProperties" ? faultOfPattern(name, inner.path) : undefined) ?? visitNode(search, inner);
    if (fault) return fault;
  }
  return undefined;
}

function visitItems(search: Search, at: At): SchemaFault | undefined {
  return Array.isArray(at.node) ? visitList(search, at, "items") : visitNode(search, at);
}

function visitDependencies(search: Search, at: At): SchemaFault | undefined {
  if (!isRecord(at.node)) return { path: at.path, message: `"dependencies" must be an object, not ${quote(at.node)}` };
  for (const name of Object.keys(at.node)) {
    const inner: At = { ...at, node: at.node[name], path: `${at.path}/${escapePointer(name)}`, depth: at.depth - 1 };
    const fault = Array.isArray(inner.node) ? visitNames(search, inner, "dependencies") : visitNode(search, inner);
    if (fault) return fault;
  }
  return undefined;
}

function visitNameLists(search: Search, { node, ...at }: At, keyword: string): SchemaFault | undefined {
  if (!isRecord(node))
    return { path: at.path, message: `"${keyword}" must be an object of lists of names, not ${quote(node)}` };
  for (const names of Object.values(node)) {
    const fault = visitNames(search, { ...at, node: names }, keyword);
    if (fault) return fault;
  }
  return undefined;
}

function visitNames(_: Search, { node, path }: At, keyword: string): SchemaFault | undefined {
  const isNames = Array.isArray(node) && node.every((name) => typeof name === "string");
  return isNames ? undefined : { path, message: `"${keyword}" must list field names, not ${quote(node)}` };
}

const TYPES: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

function visitType(_: Search, { node, path }: At): SchemaFault | undefined {
  const words: readonly unknown[] = Array.isArray(node) ? node : [node];
  const wrong = words.find((word) => !TYPES.has(word));
  if (wrong === undefined && words.length > 0) return undefined;
  return { path, message: `${quote(wrong ?? node)} is no type of JSON Schema (${[...TYPES].join(", ")})` };
}

function visitEnum(search: Search, at: At): SchemaFault | undefined {
  if (!Array.isArray(at.node))
    return { path: at.path, message: `"enum" must be a list of values, not ${quote(at.node)}` };
  return visitData(search, at);
}

function visitNumber(_: Search, { node, path }: At, keyword: string): SchemaFault | undefined {
  return Number.isFinite(node) ? undefined : { path, message: `"${keyword}" must be a number, not ${quote(node)}` };
}

/** Draft 4 and OpenAPI 3.0 write a boolean here; it says nothing to 2020-12. */
function visitLimit(search: Search, at: At, keyword: string): SchemaFault | undefined {
  return typeof at.node === "boolean" ? undefined : visitNumber(search, at, keyword);
}

function visitPattern(_: Search, { node, path }: At): SchemaFault | undefined {
  if (typeof node !== "string")
    return { path, message: `"pattern" must be a regular expression as text, not ${quote(node)}` };
  return faultOfPattern(node, path);
}

function faultOfPattern(pattern: string, path: string): SchemaFault | undefined {
  try {
    RegExp(pattern, "u");
    return undefined;
  } catch {
    return { path, message: `${quote(pattern)} is no regular expression of ECMAScript in Unicode mode` };
  }
}

function visitRef(search: Search, { node, path, resource }: At, keyword: string): SchemaFault | undefined {
  if (typeof node !== "string") return { path, message: `"${keyword}" must be text, not ${quote(node)}` };
  search.refs.push({ path, ref: node, resource });
  return undefined;
}

/** A keyword that nothing here reads. */
function visitOther(search: Search, at: At): SchemaFault | undefined {
  return typeof at.node === "object" && at.node !== null ? visitData(search, at) : faultOfScalar(at);
}

function visitData(_: Search, { node, path }: At): SchemaFault | undefined {
  const found = copyPlain(node) === NOT_PLAIN ? findNonJson(node) : undefined;
  return found && { path: path + found.path, message: `a schema must be JSON, and this holds ${found.reason}` };
}

function faultOfScalar({ node, path }: At): SchemaFault | undefined {
  const isJson = node === null || typeof node === "string" || typeof node === "boolean" || Number.isFinite(node);
  return isJson ? undefined : { path, message: `a schema must be JSON, and this is ${quote(node)}` };
}

function faultOfRefs({ root, refs }: Search): SchemaFault | undefined {
  for (const { path, ref, resource } of refs) {
    if (resolveRef(root, ref) !== undefined || resolveRef(resource, ref) !== undefined) continue;
    const where = ref.startsWith("#")
      ? "nothing in this schema is there"
      : "it is not in this schema, and nothing is fetched";
    return { path, message: `it refers to ${quote(ref)}, but ${where}` };
  }
  const endless = refs.length > 0 ? findEndlessRef(root) : undefined;
  return endless === undefined ? undefined : { path: "", message: endless };
}

function quote(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(clipText(value, 60));
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a value of type ${typeof value}`;
}
