import type * as TypeboxSchema from "typebox/schema";
import type { JsonObject } from "../json.ts";

/** One fault of a value, as the engine reports it. */
export interface EngineError {
  readonly keyword: string;
  /** JSON Pointer into the schema. */
  readonly schemaPath: string;
  /** JSON Pointer into the value; "" is the value itself. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A schema, compiled. */
export interface CompiledSchema {
  check(value: unknown): boolean;
  /** Empty exactly when `check` says true. Slow: only for a value that failed. */
  errors(value: unknown): readonly EngineError[];
}

type Engine = typeof TypeboxSchema;

let engine: Engine | undefined;
const compiled = new WeakMap<JsonObject, CompiledSchema>();

/** Whether `compileSchema` may be called. */
export function isSchemaEngineLoaded(): boolean {
  return engine !== undefined;
}

/** Loads the JSON Schema engine. At the first check and not before: loading it is most of the library's start. */
export async function loadSchemaEngine(): Promise<void> {
  engine ??= await import("typebox/schema");
}

/** Compiles once per schema object, at its first use. Throws what the engine throws on a schema that it cannot read. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const known = compiled.get(schema);
  if (known) return known;
  if (!engine) throw new Error("The schema engine is not loaded.");
  const validator = engine.Compile(schema);
  const fresh: CompiledSchema = {
    check: (value) => validator.Check(value),
    errors: (value) => validator.Errors(value)[1],
  };
  compiled.set(schema, fresh);
  return fresh;
}
