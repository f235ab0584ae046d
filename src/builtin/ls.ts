import { lstatSync, readlinkSync, type Stats } from "node:fs";
import type { AgentTool } from "../core/tool/tool.ts";
import { coreTool, LOOKS_ONLY } from "./core-tool.ts";
import { readFolder } from "./read-folder.ts";
import { rootKeys } from "./resource-keys.ts";
import { compareText } from "./text-order.ts";
import { cannot, describeCode, explaining, systemCode, type Task } from "./tool-failure.ts";
import { pathsOf, resolvePath, type Place, type Workspace } from "./workspace.ts";

export interface LsInput {
  readonly path?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** Lists one folder, hidden entries too. */
export function lsTool(workspace: Workspace): AgentTool<LsInput, LsInput> {
  return coreTool<LsInput>({
    name: "ls",
    description:
      "Lists a folder, sorted by name, hidden entries too: folders end with /, files show their size, links their target. " +
      "At most 500 entries a call; when more follow, the result ends with the exact next call.",
    properties: {
      path: { type: "string", description: "Folder, relative to the root. Default: the root." },
      limit: { type: "integer", minimum: 1, description: "How many entries, at most 500." },
      offset: { type: "integer", minimum: 0, description: "How many entries to leave out at the beginning." },
    },
    required: [],
    annotations: LOOKS_ONLY,
    resources: () => rootKeys(workspace, "read"),
    execute: (input) => listFolder(workspace, input),
  });
}

const MOST_ENTRIES = 500;

async function listFolder(workspace: Workspace, input: LsInput): Promise<string> {
  const task = { verb: "list", path: input.path ?? "." };
  const place = resolvePath(workspace, task);
  if (!place.exists) throw cannot(task, "it does not exist", "Look for its name with find, or list the folder above");
  const names = (await explaining(task, () => listNames(workspace, place, task))).sort(compareText);
  const offset = input.offset ?? 0;
  const limit = Math.min(input.limit ?? MOST_ENTRIES, MOST_ENTRIES);
  if (names.length === 0) return `[${place.shown} is empty.]`;
  if (offset >= names.length) throw cannot(task, `offset ${offset} is past the end; there are ${names.length} entries`);
  const rows = names.slice(offset, offset + limit).map((name) => describeEntry(workspace, place, name));
  return rows.join("\n") + footer(input, { offset, shown: rows.length, total: names.length });
}

/** A file is listed as itself. */
async function listNames(workspace: Workspace, { real }: Place, task: Task): Promise<string[]> {
  if (!lstatSync(real).isDirectory()) return [""];
  const entries = await readFolder(workspace, real);
  if (!entries) throw cannot(task, "it was replaced meanwhile", "Try once more");
  return entries.map(({ name }) => name);
}

function describeEntry(workspace: Workspace, { real, shown }: Place, name: string): string {
  const label = name === "" ? shown : printable(name);
  const path = pathsOf(workspace.platform).join(real, name);
  try {
    const stat = lstatSync(path);
    return stat.isSymbolicLink() ? describeLink(workspace, { path, label }) : describeStat(stat, label);
  } catch (error) {
    return `${label} [${describeCode(systemCode(error) ?? "EIO")}]`;
  }
}

function describeStat(stat: Stats, label: string): string {
  if (stat.isDirectory()) return `${label}/`;
  return stat.isFile() ? `${label} (${stat.size} bytes)` : `${label} (no regular file)`;
}

/** Where a link leads, if that is inside the root; never a path outside. */
function describeLink(
  workspace: Workspace,
  { path, label }: { readonly path: string; readonly label: string },
): string {
  try {
    const { shown } = resolvePath(workspace, { verb: "list", path });
    return `${label} -> ${shown}`;
  } catch {
    const target = readlinkSync(path);
    const isPlain = !pathsOf(workspace.platform).isAbsolute(target) && !target.includes("..");
    return `${label} -> ${isPlain ? `${printable(target)} ` : ""}[broken, or outside the root]`;
  }
}

/** A name with a line break would pass for two entries. */
function printable(name: string): string {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(name) ? JSON.stringify(name) : name;
}

function footer(
  input: LsInput,
  { offset, shown, total }: { readonly offset: number; readonly shown: number; readonly total: number },
): string {
  if (offset + shown < total) {
    const next = JSON.stringify({ ...input, offset: offset + shown });
    return `\n\n[Entries ${offset + 1}-${offset + shown} of ${total}. To go on, call ls with ${next}.]`;
  }
  return offset === 0 ? "" : `\n\n[Entries ${offset + 1}-${total} of ${total}, to the end.]`;
}
