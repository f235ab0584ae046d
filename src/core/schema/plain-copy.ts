import { MAX_DEPTH } from "./count-members.ts";
import { escapePointer } from "./scan-json.ts";
import type { JsonValue } from "../json.ts";

/** How many values one input may hold. Beyond it lies an object that holds itself many times over, not an input. */
const MAX_VALUES = 1_000_000;

/** Says that a value is no JSON; `findNonJson` says where and why. */
export const NOT_PLAIN: unique symbol = Symbol("not plain JSON");

let budget = 0;

/**
 * A value as plain JSON of our own: own members only, undefined ones left out. Never touches the value given.
 * Throws what a getter throws.
 */
export function copyPlain(value: unknown): JsonValue | typeof NOT_PLAIN {
  budget = MAX_VALUES;
  return copy(value, MAX_DEPTH);
}

function copy(value: unknown, depth: number): JsonValue | typeof NOT_PLAIN {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : NOT_PLAIN;
    case "object":
      if (value === null) return null;
      if (depth === 0 || --budget < 0) return NOT_PLAIN;
      return Array.isArray(value) ? copyArray(value, depth) : copyObject(value, depth);
    default:
      return NOT_PLAIN;
  }
}

function copyArray(items: readonly unknown[], depth: number): JsonValue | typeof NOT_PLAIN {
  const { length } = items;
  if ((budget -= length) < 0) return NOT_PLAIN;
  const out: JsonValue[] = [];
  for (let at = 0; at < length; at++) {
    const item = copy(items[at], depth - 1);
    if (item === NOT_PLAIN) return NOT_PLAIN;
    out.push(item);
  }
  return out;
}

function copyObject(value: object, depth: number): JsonValue | typeof NOT_PLAIN {
  if (!isPlain(value)) return NOT_PLAIN;
  const out: Record<string, JsonValue> = {};
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    if (name === "__proto__") return NOT_PLAIN;
    const member = (value as Readonly<Record<string, unknown>>)[name]; // its own name, just listed
    if (typeof member === "string") {
      out[name] = member;
      continue;
    }
    if (member === undefined) continue;
    const copied = copy(member, depth - 1);
    if (copied === NOT_PLAIN) return NOT_PLAIN;
    out[name] = copied;
  }
  return out;
}

/** An object of literals, of JSON.parse, or of a class without a meaning of its own: not a Date, Map or Promise. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.prototype.toString.call(value) === "[object Object]" && !("toJSON" in value);
}

/** Where and why a value is no JSON. Undefined if it is, after all. */
export interface NonJson {
  readonly path: string;
  readonly reason: string;
}

/** Walks a value that `copyPlain` refused or choked on. Never throws. */
export function findNonJson(value: unknown): NonJson | undefined {
  return search(value, { path: "", depth: MAX_DEPTH, budget: { left: MAX_VALUES } });
}

interface Search {
  readonly path: string;
  readonly depth: number;
  readonly budget: { left: number };
}

function search(value: unknown, at: Search): NonJson | undefined {
  const reason = reasonAgainst(value, at);
  if (reason !== undefined) return { path: at.path, reason };
  if (typeof value !== "object" || value === null) return undefined;
  try {
    return Array.isArray(value) ? searchItems(value, at) : searchMembers(value, at);
  } catch {
    return { path: at.path, reason: "an object that cannot be read" };
  }
}

function reasonAgainst(value: unknown, { depth, budget }: Search): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : String(value);
    case "object":
      if (value === null) return undefined;
      if (depth === 0) return `more than ${MAX_DEPTH} levels, or an object that holds itself`;
      if (--budget.left < 0) return `more than ${MAX_VALUES} values`;
      return reasonAgainstObject(value);
    default:
      return `a value of type ${typeof value}`;
  }
}

function reasonAgainstObject(value: object): string | undefined {
  try {
    if (Array.isArray(value) || isPlain(value)) return undefined;
    return `an object of kind ${Object.prototype.toString.call(value).slice(8, -1)}`;
  } catch {
    return "an object that cannot be read";
  }
}

function searchItems(items: readonly unknown[], at: Search): NonJson | undefined {
  if ((at.budget.left -= items.length) < 0) return { path: at.path, reason: `more than ${MAX_VALUES} values` };
  for (let index = 0; index < items.length; index++) {
    const found = search(items[index], { ...at, path: `${at.path}/${index}`, depth: at.depth - 1 });
    if (found) return found;
  }
  return undefined;
}

function searchMembers(value: object, at: Search): NonJson | undefined {
  for (const name of Object.keys(value)) {
    const path = `${at.path}/${escapePointer(name)}`;
    if (name === "__proto__") return { path, reason: "a member named __proto__" };
    const member = readMember(value, name);
    if (member === UNREADABLE) return { path, reason: "a member that cannot be read" };
    if (member === undefined) continue;
    const found = search(member, { ...at, path, depth: at.depth - 1 });
    if (found) return found;
  }
  return undefined;
}

const UNREADABLE = Symbol("unreadable");

function readMember(value: object, name: string): unknown {
  try {
    return (value as Readonly<Record<string, unknown>>)[name]; // its own name, just listed
  } catch {
    return UNREADABLE;
  }
}
