import { ToolmapError } from "../../core/errors.ts";
import { clipText, type JsonValue } from "../../core/json.ts";

/** JSON of a command line. Throws `usage`, naming `what`: on a command line, cut-off JSON is a slip of the hand. */
export function parseInputJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as JsonValue;
  } catch (error) {
    const problem = error instanceof Error ? error.message : "";
    throw new ToolmapError("usage", `Cannot read ${what} as JSON: ${clipText(problem, 200)}.`, {
      fix: "Write whole JSON, or key=value for text.",
    });
  }
}
