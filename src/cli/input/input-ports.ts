import { readFile } from "node:fs/promises";
import path from "node:path";
import { text } from "node:stream/consumers";
import type { CommandContext } from "../command-context.ts";
import type { InputPorts } from "./read-call-input.ts";

/** The real stdin and files, for the words of a call. */
export function inputPorts({ host, cwd }: Pick<CommandContext, "host" | "cwd">): InputPorts {
  return {
    readStdin: async () => await text(host.stdin),
    readFile: async (file) => await readFile(path.resolve(cwd, file), "utf8"),
  };
}
