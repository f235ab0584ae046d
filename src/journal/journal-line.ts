import { hash } from "node:crypto";
import { isRecord, type JsonObject } from "../core/json.ts";

/** The version of the format that this code writes, and the newest that it reads. */
export const FORMAT_VERSION = 1;

/** What the first line of a chain names as the hash of the line before it. */
export const NO_LINE = "0".repeat(32);

/** A piece of the file between two newlines. */
export interface RawLine {
  /** Line of the file, from 1. */
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
  /** False for what comes after the last newline. */
  readonly isEnded: boolean;
}

/** A line whose own members are as the format says. `number` is its place in the chain. */
export interface JournalLine extends RawLine {
  readonly hash: string;
  readonly version: number;
  readonly number: number;
  readonly fence: number;
  readonly at: string;
  readonly previous: string;
  readonly value: JsonObject;
  /** Whether some member or text begins with "$", so that reading the entry takes a closer look. */
  readonly isMarked: boolean;
}

/** The text of a line, without its newline. `entry` is the entry's JSON text, with at least one member. */
export function lineText(
  { number, fence, at, previous }: Pick<JournalLine, "number" | "fence" | "at" | "previous">,
  entry: string,
): string {
  return `{"v":1,"n":${number},"fence":${fence},"at":"${at}","prev":"${previous}",${entry.slice(1)}`;
}

/** SHA-256 of a line's bytes without the newline, the first 32 hex digits. A text stands for its UTF-8. */
export function lineHash(line: Uint8Array | string): string {
  return hash("sha256", line, "hex").slice(0, 32);
}

/** JSON that is no line of a journal, and text that is no JSON, are told apart. */
export function parseLine(raw: RawLine, text: string): JournalLine | "no-line" | "no-json" {
  const value = parseJson(text);
  if (value === undefined) return "no-json";
  if (!isRecord(value)) return "no-line";
  const { v, n, fence, at, prev } = value;
  if (!isCount(v) || v < 1 || !isCount(n) || n < 1 || !isCount(fence)) return "no-line";
  if (typeof at !== "string" || typeof prev !== "string") return "no-line";
  if (v === FORMAT_VERSION && (typeof value["type"] !== "string" || typeof value["session"] !== "string")) {
    return "no-line";
  }
  return {
    line: raw.line,
    offset: raw.offset,
    bytes: raw.bytes,
    isEnded: raw.isEnded,
    hash: lineHash(text),
    version: v,
    number: n,
    fence,
    at,
    previous: prev,
    value: value as JsonObject, // JSON.parse gives nothing else
    isMarked: text.includes('"$'),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0; // an integer is a number
}
