import { ToolmapError } from "../errors.ts";
import { freezeJson, type JsonValue } from "../json.ts";
import type { HookState } from "../hooks/hook.ts";
import { copyJson } from "../tool/read-content.ts";

/** The session's own JSON, which hooks read and write. Values are copied in, and frozen; `onSet` is told each. */
export function createHookState(
  kept: ReadonlyMap<string, JsonValue> = new Map(),
  onSet?: (key: string, value: JsonValue) => void,
): HookState {
  const values = new Map(kept);
  return {
    get: (key) => values.get(key),
    set: (key, value) => {
      const copy = copyJson(value);
      if (copy === undefined) {
        throw new ToolmapError("bad-option", `Cannot keep "${key}" in the session's state: the value is not JSON.`);
      }
      values.set(key, freezeJson(copy));
      onSet?.(key, copy);
    },
  };
}
