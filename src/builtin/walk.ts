import type { Dirent } from "node:fs";
import { readFolder } from "./read-folder.ts";
import { compareText } from "./text-order.ts";
import { describeCode, systemCode } from "./tool-failure.ts";
import { pathsOf, showPath, type Workspace } from "./workspace.ts";

/** What stands at a path below the start. Links are not followed. */
export type WalkEntry =
  | { readonly kind: "file" | "folder" | "link" | "other"; readonly real: string; readonly shown: string }
  | { readonly kind: "unreadable"; readonly shown: string; readonly why: string };

/** What a walk left out. Counted while it goes. */
export interface Skipped {
  hidden: number;
  ignored: number;
  links: number;
  unreadable: number;
}

export function nothingSkipped(): Skipped {
  return { hidden: 0, ignored: 0, links: 0, unreadable: 0 };
}

export interface WalkOptions {
  readonly signal: AbortSignal;
  readonly skipped: Skipped;
  /** Whether names that begin with a dot are walked. */
  readonly withHidden: boolean;
  /** Names that are walked although they are ignored otherwise. */
  readonly named: ReadonlySet<string>;
}

/** Every entry below a real folder inside the root, sorted by path. Memory is bounded by the folders on the way. */
export async function* walk(workspace: Workspace, start: string, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const pending: WalkEntry[] = (await listFolder(workspace, start, options)).reverse();
  for (let entry = pending.pop(); entry; entry = pending.pop()) {
    options.signal.throwIfAborted();
    yield entry;
    if (entry.kind === "folder") pending.push(...(await listFolder(workspace, entry.real, options)).reverse());
  }
}

const IGNORED: ReadonlySet<string> = new Set([".git", "node_modules"]);

async function listFolder(workspace: Workspace, real: string, options: WalkOptions): Promise<WalkEntry[]> {
  try {
    const entries = await readFolder(workspace, real);
    if (!entries) return [unreadable(workspace, real, "it was replaced meanwhile")];
    return entries
      .filter((entry) => isWanted(entry.name, options))

      .sort((left, right) => compareText(sortKey(left), sortKey(right)))
      .map((entry) => toEntry(workspace, real, entry));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    options.skipped.unreadable += 1;
    return [unreadable(workspace, real, describeCode(code))];
  }
}

function isWanted(name: string, { skipped, withHidden, named }: WalkOptions): boolean {
  if (named.has(name)) return true;
  if (IGNORED.has(name)) {
    skipped.ignored += 1;
    return false;
  }
  if (withHidden || !name.startsWith(".")) return true;
  skipped.hidden += 1;
  return false;
}

/** A folder sorts as what its children's paths begin with, so that a walk is in the order of whole paths. */
function sortKey(entry: Dirent): string {
  return entry.isDirectory() ? `${entry.name}/` : entry.name;
}

function toEntry(workspace: Workspace, folder: string, entry: Dirent): WalkEntry {
  const real = pathsOf(workspace.platform).join(folder, entry.name);
  return { kind: kindOf(entry), real, shown: showPath(workspace, real) };
}

function kindOf(entry: Dirent): "file" | "folder" | "link" | "other" {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

function unreadable(workspace: Workspace, real: string, why: string): WalkEntry {
  return { kind: "unreadable", shown: showPath(workspace, real), why };
}
