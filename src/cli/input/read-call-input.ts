import { ToolmapError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { parseInputJson } from "./parse-input-json.ts";
import { type PairPorts, readPairs } from "./read-pairs.ts";

/** Where `call` finds what its words point at. */
export interface InputPorts extends PairPorts {
  readStdin(): Promise<string>;
}

/**
 * The input of a call from the words after the tool's name: one JSON object, `-` for JSON from stdin, or pairs.
 * Undefined without words. Throws `usage` for what cannot be read.
 */
export async function readCallInput(words: readonly string[], ports: InputPorts): Promise<JsonValue | undefined> {
  const [first] = words;
  if (first === undefined) return undefined;
  const isWhole = first === "-" || first.trimStart().startsWith("{");
  if (!isWhole) return await readPairs(words, ports);
  if (words.length > 1) {
    throw new ToolmapError("usage", "Nothing can follow the JSON of a call's input.", { fix: "Put it into the JSON." });
  }
  return first === "-" ? parseInputJson(await ports.readStdin(), "stdin") : parseInputJson(first, "the input");
}
