import { clipText } from "../json.ts";

/** What was thrown, in one clipped line. Anything may be thrown, so nothing of it is trusted. */
export function thrownText(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return clipText(text, 300).trim() || "no message";
  } catch {
    return "no message";
  }
}
