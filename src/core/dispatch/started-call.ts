import { equalJson, type JsonObject } from "../json.ts";
import { parseInput } from "../schema/parse-input.ts";
import { copyJson } from "../tool/read-content.ts";
import type { GivenCall } from "./read-call.ts";

/** A call of the record that had started, has no outcome and may run again. `input`: before any hook changed it. */
export interface StartedCall {
  readonly name: string;
  readonly input: JsonObject | undefined;
}

/** Whether this is that call, given again, and no other one that happens to have its id: the two would share a key. */
export function isGivenAgain({ name, input }: StartedCall, call: GivenCall): boolean {
  return call.name === name && input !== undefined && equalJson(readInput(call.input), input);
}

function readInput(given: unknown): unknown {
  const copy = copyJson(given);
  if (typeof copy === "object" && copy !== null) return copy;
  const parsed = parseInput(copy);
  return parsed.kind === "value" ? parsed.value : undefined;
}
