import type { XStatic } from "typebox/schema";
import { ToolmapError } from "../errors.ts";
import { clipText, freezeJson, isRecord, type JsonObject, type JsonValue } from "../json.ts";
import { findSchemaFault, type SchemaSide } from "./find-schema-fault.ts";
import { copyPlain, NOT_PLAIN } from "./plain-copy.ts";

/** The part of Standard Schema v1 (standardschema.dev) that we read: `~standard.validate`, and its types. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
type StandardTypes<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>;

/** What `execute` receives: the author's output type. */
export type InputOf<S> = S extends StandardSchema
  ? StandardTypes<S>["output"]
  : string extends keyof S
    ? JsonObject
    : XStatic<S>;
/** The checked JSON input: what hooks, keys and previews see. */
export type JsonOf<S> = S extends StandardSchema
  ? StandardTypes<S>["input"]
  : string extends keyof S
    ? JsonObject
    : XStatic<S>;
/** What `execute` may return. */
export type OutputOf<O> = O extends StandardSchema
  ? StandardTypes<O>["input"]
  : O extends object
    ? XStatic<O>
    : unknown;

/** `validate` of a Standard Schema, or undefined for a schema that is plain data. */
export function standardValidatorOf(author: object): StandardSchema["~standard"]["validate"] | undefined {
  const standard = standardOf(author);
  const validate = standard?.["validate"];
  if (!standard || typeof validate !== "function") return undefined;
  // Standard Schema says what `validate` takes and gives; what it really gives is looked at where it is called
  return (value) => Reflect.apply(validate, standard, [value]) as StandardResult<unknown>;
}

/**
 * The JSON Schema of what an author wrote: from a Standard Schema that can say it (zod 4, arktype), else the TypeBox or plain JSON
 * Schema as it stands. A frozen copy, without what libraries add that means nothing. Throws ToolmapError `bad-tool`.
 */
export function toJsonSchema(author: object, side: SchemaSide): JsonObject {
  const standard = standardOf(author);
  const written = standard ? askStandard(standard, side) : author;
  const fault = findSchemaFault(written, side);
  if (fault) {
    const place = fault.path === "" ? "" : ` at "${clipText(fault.path, 120)}"`;
    throw badSchema(`its ${side} schema is not usable${place}: ${fault.message}`, FAULT_FIX);
  }
  const hidden = findHiddenRule(written);
  if (hidden !== undefined)
    throw badSchema(`its ${side} schema has a "${hidden}" that JSON Schema cannot carry`, HIDDEN_FIX);
  const copied = copyPlain(written);
  if (copied === NOT_PLAIN || !isRecord(copied)) throw badSchema(`its ${side} schema is not a JSON object`);
  const clean = withoutNoise(copied, standard?.["vendor"] === "zod") as JsonObject; // an object in, an object out
  const { $schema: _schema, "~standard": _standard, ...kept } = clean;
  return freezeJson(side === "input" && !Object.hasOwn(kept, "type") ? { type: "object", ...kept } : kept);
}

const FAULT_FIX = "Correct it there: schemas are checked by JSON Schema 2020-12.";
const HIDDEN_FIX = "Check it inside execute, or give a Standard Schema (zod, arktype, valibot) whose validate does.";

function badSchema(message: string, fix?: string): ToolmapError {
  return new ToolmapError("bad-tool", message, { fix });
}

/** Also of a function: an arktype type is one. */
function standardOf(author: object): Readonly<Record<string, unknown>> | undefined {
  const standard: unknown = Reflect.get(author, "~standard");
  return isRecord(standard) ? standard : undefined;
}

function askStandard(standard: Readonly<Record<string, unknown>>, side: SchemaSide): unknown {
  const vendor = String(standard["vendor"]);
  const converter = standard["jsonSchema"];
  // what an author must return is what goes into the schema of the output, before its transforms
  const convert: unknown = isRecord(converter) ? converter["input"] : undefined;
  if (typeof convert !== "function") {
    throw badSchema(`its ${side} schema is of ${quote(vendor)} and cannot say its JSON Schema`, fixFor(vendor));
  }
  try {
    return Reflect.apply(convert, converter, [{ target: "draft-2020-12" }]) as unknown;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolmapError("bad-tool", `its ${side} schema cannot be said as JSON Schema: ${clipText(reason, 200)}`, {
      fix: "Use only types that JSON has (for a date, text with a transform).",
      cause: error,
    });
  }
}

function quote(text: string): string {
  return JSON.stringify(clipText(text, 40));
}

function fixFor(vendor: string): string {
  return vendor === "valibot"
    ? "Wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema."
    : "Use a version whose schemas have ~standard.jsonSchema (zod 4.2 or later, arktype 2.1.28 or later), or pass plain JSON Schema.";
}

/** A rule that TypeBox keeps as code beside the schema: a copy of the data would lose it without a word. */
function findHiddenRule(root: unknown): string | undefined {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    for (const rule of ["~refine", "~codec"]) if (Object.hasOwn(node, rule)) return rule;
    open.push(...Object.values(node));
  }
  return undefined;
}

/** Keywords that hold data, not schemas. */
const DATA: ReadonlySet<string> = new Set(["default", "const", "enum", "examples"]);

/** Leaves out what zod writes about every integer and every record. */
function withoutNoise(node: JsonValue, isZod: boolean): JsonValue {
  if (!isZod || typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return (node as readonly JsonValue[]).map((item) => withoutNoise(item, isZod)); // Array.isArray does not narrow a readonly array
  const entries = Object.entries(node as JsonObject)
    .filter(([keyword, value]) => !isNoise(node as JsonObject, keyword, value))
    .map(([keyword, value]) => [keyword, DATA.has(keyword) ? value : withoutNoise(value, isZod)] as const);
  return Object.fromEntries(entries);
}

function isNoise(node: JsonObject, keyword: string, value: JsonValue): boolean {
  if (keyword === "minimum") return node["type"] === "integer" && value === Number.MIN_SAFE_INTEGER;
  if (keyword === "maximum") return node["type"] === "integer" && value === Number.MAX_SAFE_INTEGER;
  return keyword === "propertyNames" && JSON.stringify(value) === '{"type":"string"}' && node["type"] === "object";
}
