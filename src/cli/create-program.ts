import { Command, Option } from "commander";
import { addCommands } from "./add-commands.ts";
import type { RunCommand } from "./command-context.ts";
import { COLOUR_CHOICES } from "./output/colour-mode.ts";
import { readVersion } from "./read-version.ts";

export interface ProgramPorts {
  /** Receives help and version. */
  readonly print: (text: string) => void;
  readonly choose: (command: Command, run: RunCommand) => void;
}

/** The grammar of the command line. It runs nothing: a command that was found is handed to `choose`. */
export function createProgram({ print, choose }: ProgramPorts): Command {
  const program = new Command("toolmap")
    .description(
      "The tool layer for AI agents: one Map of tools, one policy, one pipeline, and a reason for every answer.",
    )
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: () => undefined, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: true })
    .version(readVersion(), "--version", "print the version")
    .helpOption("-h, --help", "show help with examples")
    .helpCommand("help [command]", "show help for a command");
  for (const option of globalOptions()) program.addOption(option);
  addCommands(program, choose);
  program.addHelpText("after", HELP_AFTER);
  return program;
}

function globalOptions(): readonly Option[] {
  return [
    new Option("-C, --cwd <folder>", "work in this folder").default(".", "the current one"),
    new Option("--json", "print exactly one JSON document on stdout, failures too"),
    // Before its negation, which would else give it a default.
    new Option("--config <file>").hideHelp(),
    new Option("--no-config", "read no configuration file"),
    new Option("--no-input", "never ask; what needs an approval is rejected"),
    new Option("-q, --quiet", "only data and failures"),
    new Option("-v, --verbose", "show where an unexpected failure came from"),
    new Option("--color <when>", "auto, always or never").choices(COLOUR_CHOICES).default("auto"),
  ];
}

const HELP_AFTER = `
Examples:
  $ toolmap demo
  $ toolmap tools
  $ toolmap explain edit path=README.md
  $ toolmap call grep pattern=TODO

Exit codes: 0 ok, 1 failed, 2 usage, 3 refused, 4 no such tool, 5 invalid input, 6 a limit, 124 timed out, 130 cancelled.
Environment: NO_COLOR, FORCE_COLOR, CI (never ask).`;
