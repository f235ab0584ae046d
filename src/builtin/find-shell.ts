import { accessSync, constants } from "node:fs";
import { posix } from "node:path";

/** A shell and the arguments that go before a command. No login shell, no start-up files. */
export interface Shell {
  readonly name: "bash" | "sh";
  readonly file: string;
  readonly args: readonly string[];
}

/** bash where it is on PATH, else sh. The `--` keeps a command that begins with a dash from being an option. */
export function findShell(path: string): Shell {
  const bash = path
    .split(":")
    .filter((folder) => folder.startsWith("/"))
    .map((folder) => posix.join(folder, "bash"))
    .find(isExecutable);
  if (bash !== undefined) return { name: "bash", file: bash, args: ["--noprofile", "--norc", "-c", "--"] };
  return { name: "sh", file: "/bin/sh", args: ["-c", "--"] };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
