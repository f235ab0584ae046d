import { readFile } from "node:fs/promises";
import path from "node:path";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import type { CommandContext } from "../command-context.ts";
import type { InputPorts } from "./read-call-input.ts";

/** The real stdin and files, for the words of a call. Rejects with an AbortError when the process is told to stop. */
export function inputPorts({ host, cwd, signal }: Pick<CommandContext, "host" | "cwd" | "signal">): InputPorts {
  return {
    readStdin: async () => await text(addAbortSignal(signal, host.stdin)),
    readFile: async (file) => await readFile(path.resolve(cwd, file), { encoding: "utf8", signal }),
  };
}
