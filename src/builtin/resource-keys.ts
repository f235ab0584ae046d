import type { ResourceKey } from "../core/tool/result.ts";
import { resolvePath, type Workspace } from "./workspace.ts";

/** What a file tool holds: its file, and a share of the root, which a command holds for itself alone. Never throws. */
export function fileKeys(workspace: Workspace, path: unknown, mode: ResourceKey["mode"]): readonly ResourceKey[] {
  const file = fileKey(workspace, path, mode);
  return file === undefined ? rootKeys(workspace, "read") : [file, ...rootKeys(workspace, "read")];
}

/** `read` for tools that look around; `write` for a command, which may touch any file. */
export function rootKeys({ root, platform }: Workspace, mode: ResourceKey["mode"]): readonly ResourceKey[] {
  return [{ key: `root:${foldCase(root, platform)}`, mode }];
}

function fileKey(workspace: Workspace, path: unknown, mode: ResourceKey["mode"]): ResourceKey | undefined {
  if (typeof path !== "string") return undefined;
  try {
    const { real } = resolvePath(workspace, { verb: "use", path });
    return { key: `file:${foldCase(real, workspace.platform)}`, mode };
  } catch {
    // The call will fail with the reason; it touches nothing.
    return undefined;
  }
}

/** Two spellings of one file are one key where the file system folds case. One key too few would let writes overlap. */
function foldCase(path: string, platform: string): string {
  return platform === "win32" || platform === "darwin" ? path.normalize("NFC").toLowerCase() : path;
}
