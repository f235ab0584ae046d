import { isRecord, type JsonObject, type JsonValue } from "../core/json.ts";

/** A text that lies in a file of its own. `$blob` is the SHA-256 of its UTF-8 bytes in hex. */
export type BlobReference = { readonly $blob: string; readonly bytes: number };

/** A text longer than this, in UTF-8 bytes, lies outside the line. */
export const INLINE_BYTES = 16 * 1024;

/**
 * The JSON text of an entry as a line holds it. `keep` stores a long text. A member that is called like one of the line's
 * own, or like a reference, gets one more "$" in front, which `readEntry` takes away.
 */
export function writeEntry(entry: JsonObject, keep: (text: string) => BlobReference): string {
  const text = JSON.stringify(entry);
  if (text.length * UTF8_MOST <= INLINE_BYTES && !hasLineName(entry) && !text.includes('$blob"')) return text;
  return JSON.stringify(renameMembers(outline(entry, keep), (name) => (LINE_NAME.test(name) ? `$${name}` : name)));
}

/** The entry of a parsed line. `load` brings back a long text; undefined where the line's text holds no `"$`. */
export function readEntry(line: JsonObject, load: ((reference: JsonObject) => string) | undefined): JsonObject {
  const { v: _v, n: _n, fence: _fence, at: _at, prev: _prev, ...entry } = line;
  if (load === undefined) return entry;
  const renamed = renameMembers(entry, (name) => (RENAMED_LINE_NAME.test(name) ? name.slice(1) : name));
  const whole = inline(renamed, load);
  return isRecord(whole) ? whole : entry;
}

/** A UTF-16 unit has at most this many UTF-8 bytes. */
const UTF8_MOST = 3;

const LINE_NAME = /^\$*(?:v|n|fence|at|prev)$/;
const RENAMED_LINE_NAME = /^\$+(?:v|n|fence|at|prev)$/;
const REFERENCE_NAME = /^\$+blob$/;
const RENAMED_REFERENCE_NAME = /^\$\$+blob$/;

function hasLineName(entry: JsonObject): boolean {
  for (const name in entry) if (LINE_NAMES.has(name) || name.startsWith("$")) return true;
  return false;
}

const LINE_NAMES = new Set(["v", "n", "fence", "at", "prev"]);

/** Only well-formed text has UTF-8 that gives it back. */
function outline(value: JsonValue, keep: (text: string) => BlobReference): JsonValue {
  if (typeof value === "string") return isLong(value) && value.isWellFormed() ? keep(value) : value;
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => outline(item, keep));
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [REFERENCE_NAME.test(name) ? `$${name}` : name, outline(member, keep)]),
  );
}

function inline(value: JsonValue, load: (reference: JsonObject) => string): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (isList(value)) return value.map((item) => inline(item, load));
  if (Object.hasOwn(value, "$blob")) return load(value);
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, member]) => [RENAMED_REFERENCE_NAME.test(name) ? name.slice(1) : name, inline(member, load)]),
  );
}

function renameMembers(value: JsonValue, rename: (name: string) => string): JsonObject {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]));
}

function isLong(text: string): boolean {
  return text.length * UTF8_MOST > INLINE_BYTES && Buffer.byteLength(text) > INLINE_BYTES;
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
