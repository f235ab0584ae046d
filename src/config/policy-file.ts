import { ToolmapError } from "../core/errors.ts";
import { clipText, isRecord } from "../core/json.ts";
import type { Places, PolicyLayer } from "../core/policy/policy.ts";
import { type ReadJsonc, readJsonc } from "./read-jsonc.ts";

/** The layers of a file, and the port that says where each of their entries stands. */
export interface PolicyFile {
  readonly layers: readonly PolicyLayer[];
  readonly places: Places;
}

/**
 * Reads `{ "policy": [{ "name", "profile", "allow", "alsoAllow", "deny", "denySelf", "ask", "approve" }] }`, comments
 * allowed. Whether an entry means anything is for the policy to say, not for this.
 * Throws `bad-config` with `file:line` for what has another shape.
 */
export function parsePolicyFile(text: string, { file }: { readonly file: string }): PolicyFile {
  const read = readJsonc(text, { file });
  const reader = createReader(read, file);
  const root = reader.members(read.value, [], ["$schema", "policy"]);
  const layers = reader
    .list(root.get("policy"), ["policy"])
    .map((layer, at) => readLayer(layer, ["policy", at], reader));
  const positions = new Map<string, number>();
  for (const [at, { name }] of layers.entries()) {
    if (positions.has(name)) reader.fail(["policy", at, "name"], `two layers have the name "${clipText(name, 60)}"`);
    positions.set(name, at);
  }
  return { layers, places: { placeOf: placesOf(read, positions) } };
}

/** `index` -1 stands for the list as a whole. */
function placesOf(read: ReadJsonc, positions: ReadonlyMap<string, number>): Places["placeOf"] {
  return (layer, list, index) => {
    const at = positions.get(layer);
    if (at === undefined) return undefined;
    return read.placeOf(index < 0 ? ["policy", at, list] : ["policy", at, list, index]);
  };
}

type Path = readonly (string | number)[];

const LISTS = ["allow", "alsoAllow", "deny", "denySelf", "ask", "approve"] as const;

function readLayer(value: unknown, path: Path, reader: Reader): PolicyLayer {
  const layer = reader.members(value, path, ["name", "profile", ...LISTS]);
  const lists = LISTS.filter((list) => layer.has(list)).map((list) => {
    const place = [...path, list];
    const entries = reader.list(layer.get(list), place).map((entry, at) => reader.text(entry, [...place, at]));
    return [list, entries] as const;
  });
  return {
    name: reader.text(layer.get("name"), [...path, "name"]),
    ...(layer.has("profile") ? { profile: reader.text(layer.get("profile"), [...path, "profile"]) } : {}),
    ...Object.fromEntries(lists),
  };
}

interface Reader {
  fail(path: Path, problem: string): never;
  members(value: unknown, path: Path, known: readonly string[]): ReadonlyMap<string, unknown>;
  list(value: unknown, path: Path): readonly unknown[];
  text(value: unknown, path: Path): string;
}

function createReader(read: ReadJsonc, file: string): Reader {
  const fail = (path: Path, problem: string): never => {
    // What is missing has no place of its own: its object's is shown.
    const source = read.placeOf(path) ?? read.placeOf(path.slice(0, -1));
    const name = path.length === 0 ? "the file" : `"${clipText(path.join("."), 100)}"`;
    throw new ToolmapError("bad-config", `Cannot use ${name} of "${file}": ${problem}.`, { source });
  };
  return {
    fail,
    members(value, path, known) {
      if (!isRecord(value)) return fail(path, `it must be an object${butIs(value)}`);
      const members = new Map(Object.entries(value));
      for (const name of members.keys()) {
        if (!known.includes(name))
          fail([...path, name], `no such setting is known here; there are ${known.join(", ")}`);
      }
      return members;
    },
    list(value, path) {
      return Array.isArray(value) ? value : fail(path, `it must be a list${butIs(value)}`);
    },
    text(value, path) {
      return typeof value === "string" && value !== ""
        ? value
        : fail(path, `it must be a text that is not empty${butIs(value)}`);
    },
  };
}

function butIs(value: unknown): string {
  return value === undefined ? ", and it is missing" : `, not ${clipText(JSON.stringify(value), 60)}`;
}
