/** Any JSON value, read only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object, read only. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A non-null, non-array object. Says nothing about what its members hold. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A promise, or anything that can be awaited like one. Reading `then` of a hostile object may throw; the caller is inside a step that answers for it. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (value as { readonly then?: unknown }).then === "function"
  );
}
