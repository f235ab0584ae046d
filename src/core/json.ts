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

/** Freezes a JSON value that nobody else holds, all the way down. Returns it. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeJson(member);
  return Object.freeze(value);
}

/** Text for a message: well-formed, without control characters, at most `length` characters. */
export function clipText(text: string, length: number): string {
  const start = text.length > length * 2 ? text.slice(0, length * 2) : text;
  // eslint-disable-next-line no-control-regex
  const clean = start.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, " ");
  return clean.length > length ? `${clean.slice(0, length).toWellFormed()}…` : clean;
}

/** Structural equality of two JSON values. Member order does not matter. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => equalJson(item, right[at]));
  }
  if (Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && equalJson(member(left, key), member(right, key)));
}

function member(value: object, key: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[key];
}
