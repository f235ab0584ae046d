import { lstatSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import type { AgentTool, ToolContext } from "../core/tool/tool.ts";
import { coreTool, LOOKS_ONLY } from "./core-tool.ts";
import { GrepSearch, type GrepInput } from "./grep-search.ts";
import { compileGlob } from "./glob.ts";
import { createLineMatcher } from "./line-matcher.ts";
import { rootKeys } from "./resource-keys.ts";
import { readPattern } from "./search-pattern.ts";
import { cannot } from "./tool-failure.ts";
import { resolvePath, type Workspace } from "./workspace.ts";

/** Searches the text of files, line by line. */
export function grepTool(workspace: Workspace, clock: Clock): AgentTool<GrepInput, GrepInput> {
  return coreTool<GrepInput>({
    name: "grep",
    description:
      "Searches files for lines that match a JavaScript regular expression; shows path:line: text, sorted by path, at most 200 matches " +
      "or 30 KiB a call. Skips .git, node_modules, hidden entries (unless path or glob names them), links and binary files, and says how many.",
    properties: {
      pattern: { type: "string", minLength: 1, description: "Regular expression, or plain text with literal." },
      path: { type: "string", description: "File or folder, relative to the root. Default: the root." },
      glob: {
        type: "string",
        minLength: 1,
        description: "Only files that match, such as *.ts or src/**/*.{js,ts}, relative to path.",
      },
      ignore_case: { type: "boolean", description: "Treat capital and small letters alike." },
      literal: { type: "boolean", description: "Take the pattern as plain text." },
      limit: { type: "integer", minimum: 1, description: "How many matches, at most 200." },
      context: {
        type: "integer",
        minimum: 0,
        maximum: 20,
        description: "How many lines to show before and after each match.",
      },
      offset: { type: "integer", minimum: 0, description: "How many matches to leave out at the beginning." },
    },
    required: ["pattern"],
    annotations: LOOKS_ONLY,
    resources: () => rootKeys(workspace, "read"),
    execute: (input, { signal }) => search(workspace, input, { clock, signal }),
  });
}

interface SearchOptions {
  readonly clock: Clock;
  readonly signal: ToolContext["signal"];
}

async function search(workspace: Workspace, input: GrepInput, { clock, signal }: SearchOptions): Promise<string> {
  const task = { verb: "search", path: input.path ?? "." };
  const place = resolvePath(workspace, task);
  if (!place.exists) throw cannot(task, "it does not exist", "Look for its name with find or ls");
  const pattern = readPattern({
    pattern: input.pattern,
    literal: input.literal ?? false,
    ignoreCase: input.ignore_case ?? false,
  });
  const glob = input.glob === undefined ? undefined : compileGlob(input.glob);
  const matcher = createLineMatcher(pattern, { clock, signal });
  try {
    const run = new GrepSearch(workspace, { input, place, glob, matcher, clock, signal });
    if (lstatSync(place.real).isDirectory()) await run.searchFolder();
    else await run.searchFile({ real: place.real, shown: place.shown });
    signal.throwIfAborted();
    return run.report();
  } finally {
    matcher.close();
  }
}
