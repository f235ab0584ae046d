import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { posix, win32, type PlatformPath } from "node:path";
import { ToolmapError } from "../core/errors.ts";
import { cannot, describeCode, systemCode, type Task } from "./tool-failure.ts";
import { refuseWin32Path } from "./win32-path.ts";

/** The one folder that the built-in tools work in. */
export interface Workspace {
  /** Its real path: absolute, without symbolic links. */
  readonly root: string;
  readonly platform: string;
}

/** Where a path leads, once every symbolic link is followed; always inside the root. */
export interface Place {
  readonly real: string;
  /** Relative to the root, with slashes; "." for the root itself. */
  readonly shown: string;
  readonly exists: boolean;
}

/** Throws `bad-option` if the root is not a folder that can be entered. */
export function createWorkspace(root: string, platform: string): Workspace {
  try {
    const real = realpathSync.native(root);
    if (statSync(real).isDirectory()) return Object.freeze({ root: real, platform });
  } catch (cause) {
    throw unusableRoot(root, cause);
  }
  throw unusableRoot(root, undefined);
}

function unusableRoot(root: string, cause: unknown): ToolmapError {
  const fix = "Pass the path of a folder that exists.";
  return new ToolmapError("bad-option", `Cannot use ${JSON.stringify(root)} as the root of the built-in tools.`, {
    fix,
    cause,
  });
}

/**
 * Follows a path, absolute or relative to the root. Synchronous, because resource keys need it too.
 * Throws a ToolFailure for what is malformed, leads outside the root, or through a broken or circular link.
 */
export function resolvePath(workspace: Workspace, task: Task): Place {
  const { root, platform } = workspace;
  const malformed = refusePath(task.path, platform);
  if (malformed !== undefined) throw cannot(task, malformed, "Name a file or folder below the root");
  const absolute = pathsOf(platform).resolve(root, task.path);
  const end = followLinks(absolute, pathsOf(platform));
  if (!isInside(root, end.path, platform))
    throw cannot(task, outsideOf(workspace, absolute), "Use a path below the root");
  if (end.kind === "stuck") throw cannot(task, end.why);
  return { real: end.path, shown: showPath(workspace, end.path), exists: end.kind === "there" };
}

/** Why the text of a path cannot be used, as a clause. */
export function refusePath(path: string, platform: string): string | undefined {
  if (path === "") return "the path is empty";
  if (path.includes("\0")) return "the path holds a NUL character";
  if (!path.isWellFormed()) return "the path is not well-formed text";
  if (Buffer.byteLength(path) > LONGEST_PATH) return `the path is longer than ${LONGEST_PATH} bytes`;
  return platform === "win32" ? refuseWin32Path(path) : undefined;
}

const LONGEST_PATH = 4096;

/** Whether a real path is the root or below it. Never by prefix: `/ws-evil` is not inside `/ws`. */
export function isInside(root: string, real: string, platform: string): boolean {
  const paths = pathsOf(platform);
  const relative = paths.relative(root, real);
  return relative !== ".." && !relative.startsWith(`..${paths.sep}`) && !paths.isAbsolute(relative);
}

/** A real path inside the root as the tools show it. */
export function showPath({ root, platform }: Workspace, real: string): string {
  const relative = pathsOf(platform).relative(root, real);
  return relative === "" ? "." : relative.split(pathsOf(platform).sep).join("/");
}

export function pathsOf(platform: string): PlatformPath {
  return platform === "win32" ? win32 : posix;
}

function outsideOf(workspace: Workspace, absolute: string): string {
  return isInside(workspace.root, absolute, workspace.platform)
    ? "a symbolic link in it leads outside the root"
    : "it is outside the root";
}

/** `new`: the path of something that does not exist yet, below a real folder. `stuck`: as far as the path can be followed. */
type LinkEnd =
  | { readonly kind: "there" | "new"; readonly path: string }
  | { readonly kind: "stuck"; readonly path: string; readonly why: string };

function followLinks(absolute: string, paths: PlatformPath): LinkEnd {
  const missing: string[] = [];
  for (let current = absolute; ; current = paths.dirname(current)) {
    try {
      const path = paths.join(realpathSync.native(current), ...missing);
      return { kind: missing.length === 0 ? "there" : "new", path };
    } catch (error) {
      const code = systemCode(error) ?? "EIO";
      if (code !== "ENOENT") return { kind: "stuck", path: absolute, why: describeCode(code) };
      if (isLink(current)) return brokenLink(current, paths);
      missing.unshift(paths.basename(current));
    }
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** A link without a target is never written through: what it would create is not what its path says. */
function brokenLink(link: string, paths: PlatformPath): LinkEnd {
  const folder = realpathSync.native(paths.dirname(link));
  const path = paths.resolve(folder, readlinkSync(link));
  return { kind: "stuck", path, why: "a symbolic link in it has no target" };
}
