import { ToolmapError } from "../core/errors.ts";
import { clipText, isRecord, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Usage } from "../core/session/model.ts";
import type { FinishReason, ScriptedCall, ScriptedTurn } from "./scripted-model.ts";

/**
 * The turns of a script file: `{ "turns": [{ "text", "reasoning", "calls": [{ "id", "name", "input" }], "finish", "usage" }] }`,
 * every member of a turn optional. `source` is the file's name, for messages.
 * Throws `bad-script` naming the place, such as `turns[1].calls[0].name`.
 */
export function parseScript(text: string, { source }: { readonly source?: string } = {}): readonly ScriptedTurn[] {
  const reader: Reader = {
    fail(path, problem) {
      const place = path === "" ? "The script" : `"${path}" of the script`;
      throw new ToolmapError("bad-script", `${place} cannot be used: ${problem}.`, { source, fix: EXAMPLE });
    },
  };
  const script = readMembers(readJson(text, reader), { path: "", known: ["$schema", "turns"], reader });
  const turns = readList(script.get("turns"), "turns", reader);
  if (turns.length === 0) reader.fail("turns", "it is empty, and a model has to say something");
  return turns.map((turn, at) => readTurn(turn, `turns[${at}]`, reader));
}

const EXAMPLE =
  'Write it like { "turns": [{ "calls": [{ "name": "read", "input": { "path": "a.md" } }] }, { "text": "done" }] }.';

interface Reader {
  fail(path: string, problem: string): never;
}

function readJson(text: string, reader: Reader): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return reader.fail("", `it is not JSON (${clipText(error instanceof Error ? error.message : "", 200)})`);
  }
}

function readTurn(value: unknown, path: string, reader: Reader): ScriptedTurn {
  const turn = readMembers(value, { path, known: ["text", "reasoning", "calls", "finish", "usage"], reader });
  const at = (name: string): [unknown, string, Reader] => [turn.get(name), `${path}.${name}`, reader];
  return {
    ...(turn.has("text") ? { text: readText(...at("text")) } : {}),
    ...(turn.has("reasoning") ? { reasoning: readText(...at("reasoning")) } : {}),
    ...(turn.has("calls") ? { calls: readCalls(...at("calls")) } : {}),
    ...(turn.has("finish") ? { finish: readFinish(...at("finish")) } : {}),
    ...(turn.has("usage") ? { usage: readUsage(...at("usage")) } : {}),
  };
}

function readCalls(value: unknown, path: string, reader: Reader): readonly ScriptedCall[] {
  return readList(value, path, reader).map((call, at) => readCall(call, `${path}[${at}]`, reader));
}

function readCall(value: unknown, path: string, reader: Reader): ScriptedCall {
  const call = readMembers(value, { path, known: ["id", "name", "input"], reader });
  return {
    ...(call.has("id") ? { id: readWord(call.get("id"), `${path}.id`, reader) } : {}),
    name: readWord(call.get("name"), `${path}.name`, reader),
    ...(call.has("input") ? { input: call.get("input") as JsonValue } : {}), // it came out of JSON.parse
  };
}

function readFinish(value: unknown, path: string, reader: Reader): FinishReason {
  const known = FINISH_REASONS.find((reason) => reason === value);
  return known ?? reader.fail(path, `it must be one of ${FINISH_REASONS.join(", ")}${butIs(value)}`);
}

const FINISH_REASONS: readonly FinishReason[] = ["stop", "tool-calls", "length", "content-filter", "error", "other"];

function readUsage(value: unknown, path: string, reader: Reader): Usage {
  const usage = readMembers(value, { path, known: ["inputTokens", "outputTokens", "cachedInputTokens"], reader });
  for (const [name, count] of usage) {
    if (!(Number.isInteger(count) && Number(count) >= 0)) {
      reader.fail(`${path}.${name}`, `it must be a whole number, 0 or more${butIs(count)}`);
    }
  }
  return Object.fromEntries(usage) as JsonObject & Usage; // every known member was checked to be a number
}

interface MembersOptions {
  readonly path: string;
  readonly known: readonly string[];
  readonly reader: Reader;
}

function readMembers(value: unknown, { path, known, reader }: MembersOptions): ReadonlyMap<string, unknown> {
  if (!isRecord(value)) return reader.fail(path, `it must be an object${butIs(value)}`);
  const members = new Map(Object.entries(value));
  for (const name of members.keys()) {
    if (!known.includes(name)) {
      const where = path === "" ? name : `${path}.${name}`;
      reader.fail(clipText(where, 100), `no such member is known; there are ${known.join(", ")}`);
    }
  }
  return members;
}

function readList(value: unknown, path: string, reader: Reader): readonly unknown[] {
  return Array.isArray(value) ? value : reader.fail(path, `it must be an array${butIs(value)}`);
}

function readText(value: unknown, path: string, reader: Reader): string {
  return typeof value === "string" ? value : reader.fail(path, `it must be text${butIs(value)}`);
}

function readWord(value: unknown, path: string, reader: Reader): string {
  const word = readText(value, path, reader);
  return word === "" ? reader.fail(path, "it is empty") : word;
}

function butIs(value: unknown): string {
  return value === undefined ? ", and it is missing" : `, not ${clipText(JSON.stringify(value), 60)}`;
}
