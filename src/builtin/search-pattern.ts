import { clipText } from "../core/json.ts";
import { quote, ToolFailure } from "./tool-failure.ts";

/** A regular expression as source and flags, and whether matching it takes time in proportion to the text. */
export interface SearchPattern {
  readonly source: string;
  readonly flags: string;
  readonly isLinear: boolean;
}

/** What a search asks for. A leading `(?i)` works as `ignoreCase` does. */
export interface PatternRequest {
  readonly pattern: string;
  readonly literal: boolean;
  readonly ignoreCase: boolean;
}

/** Compiles a pattern once, to know that it can be. Throws a ToolFailure that shows the fault. */
export function readPattern({ pattern, literal, ignoreCase }: PatternRequest): SearchPattern {
  if (pattern === "") throw new ToolFailure("Cannot search for an empty pattern.");
  const folded = !literal && pattern.startsWith("(?i)");
  const source = literal ? escapeRegex(pattern) : folded ? pattern.slice(4) : pattern;
  const flags = ignoreCase || folded ? "i" : "";
  return { source, flags: compile(pattern, source, flags), isLinear: isLinear(source) };
}

/** Full Unicode where the pattern allows it; many everyday patterns escape more than that mode permits. */
function compile(pattern: string, source: string, flags: string): string {
  for (const tried of [`${flags}u`, flags]) {
    try {
      return new RegExp(source, tried).flags;
    } catch (error) {
      if (tried === flags) throw describeFault(pattern, error);
    }
  }
  return flags;
}

function describeFault(pattern: string, error: unknown): ToolFailure {
  const said = error instanceof Error ? clipText(error.message.split(": ").at(-1) ?? "", 200) : "";
  return new ToolFailure(
    `Cannot search for ${quote(pattern)}: it is not a valid regular expression (${said}). To search for it as plain text, add "literal": true.`,
  );
}

function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Without repetition and groups there is nothing to go back to. Cautious: a class may hold these characters harmlessly. */
function isLinear(source: string): boolean {
  return !/[*+?{(]/.test(source.replace(/\\./gsu, ""));
}
