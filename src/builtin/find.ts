import { lstatSync } from "node:fs";
import type { AgentTool, ToolContext } from "../core/tool/tool.ts";
import { coreTool, LOOKS_ONLY } from "./core-tool.ts";
import { describeSkipped } from "./describe-skipped.ts";
import { compileGlob, type Glob } from "./glob.ts";
import { rootKeys } from "./resource-keys.ts";
import { cannot, quote } from "./tool-failure.ts";
import { nothingSkipped, walk, type WalkEntry } from "./walk.ts";
import { pathsOf, resolvePath, type Place, type Workspace } from "./workspace.ts";

export interface FindInput {
  readonly pattern: string;
  readonly path?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** Finds files and folders by name. */
export function findTool(workspace: Workspace): AgentTool<FindInput, FindInput> {
  return coreTool<FindInput>({
    name: "find",
    description:
      "Finds files and folders by a pattern: * any characters of a name, ? one, ** any folders, {a,b} either. Without a slash the " +
      "pattern is looked for in every folder. Sorted by path. Skips .git, node_modules and hidden entries unless path or pattern names them.",
    properties: {
      pattern: { type: "string", minLength: 1, description: "For example *.ts or src/**/*.{js,ts}, relative to path." },
      path: { type: "string", description: "Folder to look in, relative to the root. Default: the root." },
      limit: { type: "integer", minimum: 1, description: "How many paths, at most 500." },
      offset: { type: "integer", minimum: 0, description: "How many paths to leave out at the beginning." },
    },
    required: ["pattern"],
    annotations: LOOKS_ONLY,
    resources: () => rootKeys(workspace, "read"),
    execute: (input, { signal }) => findPaths(workspace, input, signal),
  });
}

const MOST_PATHS = 500;
const MOST_BYTES = 30 * 1024;

async function findPaths(workspace: Workspace, input: FindInput, signal: ToolContext["signal"]): Promise<string> {
  const start = resolveFolder(workspace, input);
  const glob = compileGlob(input.pattern);
  const search = { input, glob, start: start.real, rows: [] as string[], found: 0, looked: 0, bytes: 0 };
  const skipped = nothingSkipped();
  for await (const entry of walk(workspace, start.real, {
    signal,
    skipped,
    withHidden: glob.namesHidden,
    named: glob.names,
  })) {
    search.looked += 1;
    if (!take(workspace, search, entry)) {
      const next = JSON.stringify({ ...input, offset: (input.offset ?? 0) + search.rows.length });
      return `${search.rows.join("\n")}\n\n[${search.rows.length} paths shown; more follow. To go on, call find with ${next}.]`;
    }
  }
  const note = describeSkipped(skipped);
  const end = note === undefined ? "" : `\n\n[${note}]`;
  if (search.rows.length > 0) return search.rows.join("\n") + end;
  if (search.found > 0)
    throw cannot(taskOf(input), `offset ${input.offset} is past the end; there are ${search.found} paths`);
  return `Nothing matches ${quote(input.pattern)} in ${start.shown} (${search.looked} ${search.looked === 1 ? "entry" : "entries"} looked at).${end}`;
}

interface Search {
  readonly input: FindInput;
  readonly glob: Glob;
  readonly start: string;
  readonly rows: string[];
  found: number;
  looked: number;
  bytes: number;
}

/** Adds the entry's row if it matches. False once no row fits any more. */
function take(workspace: Workspace, search: Search, entry: WalkEntry): boolean {
  const row = rowOf(workspace, search, entry);
  if (row === undefined) return true;
  search.found += 1;
  if (search.found <= (search.input.offset ?? 0)) return true;
  search.bytes += Buffer.byteLength(row) + 1;
  const limit = Math.min(search.input.limit ?? MOST_PATHS, MOST_PATHS);
  if (search.rows.length === limit || (search.bytes > MOST_BYTES && search.rows.length > 0)) return false;
  search.rows.push(row);
  return true;
}

/** A folder that cannot be read may hide matches, so it is always shown. */
function rowOf(workspace: Workspace, { glob, start }: Search, entry: WalkEntry): string | undefined {
  if (entry.kind === "unreadable") return `${entry.shown}/ [cannot be looked into: ${entry.why}]`;
  const paths = pathsOf(workspace.platform);
  const relative = paths.relative(start, entry.real).split(paths.sep).join("/");
  if (!glob.matches(relative)) return undefined;
  return entry.kind === "folder" ? `${entry.shown}/` : entry.shown;
}

function resolveFolder(workspace: Workspace, input: FindInput): Place {
  const place = resolvePath(workspace, taskOf(input));
  if (!place.exists) throw cannot(taskOf(input), "it does not exist", "List the folder above it with ls");
  if (!lstatSync(place.real).isDirectory()) throw cannot(taskOf(input), "it is not a folder");
  return place;
}

function taskOf({ path = "." }: FindInput): { readonly verb: string; readonly path: string } {
  return { verb: "look in", path };
}
