import type { Command } from "commander";
import type { RunCommand } from "./command-context.ts";

/** Takes the command that a line names, with its arguments read. */
export type Choose = (command: Command, run: RunCommand) => void;

/** The end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
