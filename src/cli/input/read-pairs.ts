import { ToolmapError } from "../../core/errors.ts";
import { clipText, type JsonObject, type JsonValue } from "../../core/json.ts";
import { parseInputJson } from "./parse-input-json.ts";

/** Where a pair finds what it points at. */
export interface PairPorts {
  /** The text of a file, relative to the folder of the command. */
  readFile(path: string): Promise<string>;
}

/**
 * An object from `key=value` (text), `key:=json` and `key=@file` (the file's text). A repeated key makes a list, dots in
 * a key nest. Throws `usage`, naming the key.
 */
export async function readPairs(words: readonly string[], ports: PairPorts): Promise<JsonObject> {
  const root: Branch = new Map();
  for (const word of words) {
    const pair = splitPair(word);
    put(root, { ...pair, value: await readValue(pair, ports) });
  }
  return toObject(root);
}

const DEEPEST = 32;

interface Pair {
  readonly key: string;
  readonly path: readonly string[];
  readonly text: string;
  readonly isJson: boolean;
}

function splitPair(word: string): Pair {
  const at = word.indexOf("=");
  const isJson = word[at - 1] === ":";
  const key = word.slice(0, isJson ? at - 1 : at);
  const path = key.split(".");
  if (at > 0 && path.length <= DEEPEST && path.every((part) => part !== ""))
    return { key, path, text: word.slice(at + 1), isJson };
  throw new ToolmapError("usage", `"${clipText(word, 60)}" is no input.`, {
    fix: "Write key=value for text, key:=json for a JSON value, key=@file for a file's text, or one JSON object.",
  });
}

async function readValue({ key, text, isJson }: Pair, ports: PairPorts): Promise<JsonValue> {
  if (isJson) return parseInputJson(text, `"${clipText(key, 60)}"`);
  if (!text.startsWith("@")) return text;
  try {
    return await ports.readFile(text.slice(1));
  } catch (cause) {
    throw new ToolmapError(
      "usage",
      `Cannot read the file "${clipText(text.slice(1), 200)}" for "${clipText(key, 60)}".`,
      {
        fix: `For text that starts with @, write ${clipText(key, 60)}:='"@…"'.`,
        cause,
      },
    );
  }
}

/** What stands at a key: the values given for it in order, or keys below it. Maps, because keys are anybody's. */
type Branch = Map<string, Leaf | Branch>;
interface Leaf {
  readonly values: JsonValue[];
}

function put(root: Branch, { key, path, value }: Pair & { readonly value: JsonValue }): void {
  let branch = root;
  for (const part of path.slice(0, -1)) {
    const next = branch.get(part) ?? new Map<string, Leaf | Branch>();
    if (!(next instanceof Map)) throw bothWays(key);
    branch.set(part, next);
    branch = next;
  }
  const name = path.at(-1) ?? key;
  const leaf = branch.get(name) ?? { values: [] };
  if (leaf instanceof Map) throw bothWays(key);
  leaf.values.push(value);
  branch.set(name, leaf);
}

function bothWays(key: string): ToolmapError {
  return new ToolmapError("usage", `"${clipText(key, 60)}" gives a value and keys below it to the same name.`, {
    fix: "Write the whole input as one JSON object.",
  });
}

/** `fromEntries` defines each member as the object's own, `__proto__` too. */
function toObject(branch: Branch): JsonObject {
  return Object.fromEntries(
    [...branch].map(([name, node]) => [name, node instanceof Map ? toObject(node) : valueOf(node)]),
  );
}

function valueOf({ values }: Leaf): JsonValue {
  const [first = null] = values;
  return values.length === 1 ? first : values;
}
