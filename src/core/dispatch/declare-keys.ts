import { isRecord } from "../json.ts";
import { messageOf } from "../hooks/call-hook.ts";
import type { ResourceKey } from "../tool/result.ts";
import type { CallRun } from "./call-run.ts";

/** Asks the tool which resources this input touches, so that later calls of the batch know whom to wait for. */
export function declareKeys(run: CallRun): void {
  if (run.trace) return;
  const { tool } = run;
  run.exclusive = tool.exclusive === true;
  if (tool.resources && !run.replacement) {
    try {
      run.keys = readKeys(tool.resources(run.checkedInput as never));
    } catch (error) {
      run.refuse(
        "error",
        `"${run.name}" did not run: it could not say which resources it needs (${messageOf(error)}).`,
      );
      return;
    }
  }
  run.options.batch?.declare(run.place, run);
}

function readKeys(keys: readonly ResourceKey[]): readonly ResourceKey[] {
  if (!Array.isArray(keys)) throw new TypeError("resources must return an array of { key, mode }");
  for (const each of keys as readonly unknown[]) {
    if (!isRecord(each) || typeof each["key"] !== "string" || (each["mode"] !== "read" && each["mode"] !== "write")) {
      throw new TypeError('a resource must be { key: string, mode: "read" | "write" }');
    }
  }
  return keys;
}
