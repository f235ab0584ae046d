import type { JsonObject, JsonValue } from "./json.ts";

/** SHA-256 (FIPS 180-4) of a text's UTF-8 bytes, in lower-case hex. Synchronous and pure; a lone surrogate counts as U+FFFD. */
export function digestText(text: string): string {
  const bytes = padMessage(new TextEncoder().encode(text));
  const view = new DataView(bytes.buffer);
  const state = Int32Array.from(INITIAL_STATE);
  for (let at = 0; at < bytes.length; at += 64) addBlock(state, view, at);
  let hex = "";
  for (const word of state) hex += (word >>> 0).toString(16).padStart(8, "0");
  return hex;
}

/** The digest of a JSON value: equal for values that differ in member order only. */
export function digestJson(value: JsonValue): string {
  return digestText(canonicalJson(value));
}

/** JSON text without white space, the members of every object in the order of their names' code units. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value).toSorted(compareCodeUnits);
  return `{${members.map((name) => canonicalMember(value, name)).join(",")}}`;
}

function canonicalMember(value: JsonObject, name: string): string {
  return `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`;
}

/** `Array.isArray` does not narrow a readonly array. */
function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function compareCodeUnits(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** The message, a one bit, zeros, and its length in bits: a multiple of 64 bytes. */
function padMessage(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array((((message.length + 8) >>> 6) + 1) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 0x2000_0000));
  view.setUint32(padded.length - 4, message.length << 3);
  return padded;
}

/** One use at a time: the digest is synchronous. */
const schedule = new Int32Array(64);

function addBlock(state: Int32Array, view: DataView, at: number): void {
  fillSchedule(view, at);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < 64; round++) {
    const choice = (e & f) ^ (~e & g);
    const one = (h + bigSigma1(e) + choice + wordOf(ROUND_CONSTANTS, round) + wordOf(schedule, round)) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const two = (bigSigma0(a) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  const added = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at++) state[at] = (wordOf(state, at) + (added[at] ?? 0)) | 0;
}

function fillSchedule(view: DataView, at: number): void {
  for (let word = 0; word < 16; word++) schedule[word] = view.getInt32(at + word * 4);
  for (let word = 16; word < 64; word++) {
    const near = smallSigma1(wordOf(schedule, word - 2)) + wordOf(schedule, word - 7);
    schedule[word] = (near + smallSigma0(wordOf(schedule, word - 15)) + wordOf(schedule, word - 16)) | 0;
  }
}

function wordOf(words: Int32Array, at: number): number {
  return words[at] ?? 0;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function bigSigma0(word: number): number {
  return rotate(word, 2) ^ rotate(word, 13) ^ rotate(word, 22);
}

function bigSigma1(word: number): number {
  return rotate(word, 6) ^ rotate(word, 11) ^ rotate(word, 25);
}

function smallSigma0(word: number): number {
  return rotate(word, 7) ^ rotate(word, 18) ^ (word >>> 3);
}

function smallSigma1(word: number): number {
  return rotate(word, 17) ^ rotate(word, 19) ^ (word >>> 10);
}

/** The first 32 bits of the fractional part of each root of the first primes, as FIPS 180-4 derives its constants. */
function fractionsOfRoots(count: number, root: (prime: number) => number): Int32Array {
  const words = new Int32Array(count);
  for (let found = 0, candidate = 2; found < count; candidate++) {
    if (!isPrime(candidate)) continue;
    const value = root(candidate);
    words[found++] = ((value - Math.floor(value)) * 0x1_0000_0000) | 0;
  }
  return words;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) return false;
  return true;
}

const INITIAL_STATE = fractionsOfRoots(8, Math.sqrt);
const ROUND_CONSTANTS = fractionsOfRoots(64, Math.cbrt);
