import path from "node:path";
import { ToolmapError } from "../core/errors.ts";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Where toolmap keeps what has to outlive a process: `$TOOLMAP_HOME`; else a folder of its own under `$XDG_STATE_HOME`; else
 * `~/.toolmap`. Absolute; a relative value is refused, since it would mean another folder in each folder.
 */
export function stateFolder(env: Env): string {
  const own = env["TOOLMAP_HOME"] ?? "";
  if (own !== "") return absolute(own, "TOOLMAP_HOME");
  const xdg = env["XDG_STATE_HOME"] ?? "";
  // The XDG base directory specification: a relative path is invalid and ignored.
  if (path.isAbsolute(xdg)) return path.join(xdg, "toolmap");
  const home = env["HOME"] ?? env["USERPROFILE"] ?? "";
  if (home !== "") return path.join(absolute(home, "HOME"), ".toolmap");
  throw new ToolmapError("usage", "There is no place to keep sessions: no home folder is known.", {
    fix: "Set TOOLMAP_HOME to a folder.",
  });
}

function absolute(folder: string, variable: string): string {
  if (path.isAbsolute(folder)) return folder;
  throw new ToolmapError("usage", `${variable} must be an absolute path.`, {
    fix: `Set ${variable} to the whole path of a folder.`,
  });
}
