import type { XStatic } from "typebox/schema";
import type { JsonObject } from "../json.ts";

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
