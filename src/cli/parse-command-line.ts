import { type Command, CommanderError, type OptionValues } from "commander";
import { ToolmapError } from "../core/errors.ts";
import { createProgram } from "./create-program.ts";
import type { RunCommand } from "./command-context.ts";
import type { ColourChoice } from "./output/colour-mode.ts";

/** The flags that every command takes. */
export interface GlobalOptions {
  readonly cwd: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: ColourChoice;
  /** False with `--no-input`: nobody is asked. */
  readonly input: boolean;
}

/** What a command line asks for. */
export type CommandLine =
  | { readonly kind: "command"; readonly globals: GlobalOptions; readonly run: RunCommand }
  | { readonly kind: "help" | "version"; readonly text: string };

/** Reads the words after the program's name. Throws `usage` or `not-yet-configured`. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  let printed = "";
  let chosen: { readonly command: Command; readonly run: RunCommand } | undefined;
  const program = createProgram({
    print: (text) => void (printed += text),
    choose: (command, run) => void (chosen = { command, run }),
  });
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return answer(error, { printed, argv });
    throw error;
  }
  if (!chosen) throw usage("No command was given.", helpFor(argv));
  const options = chosen.command.optsWithGlobals();
  refuseConfigured(options);
  return { kind: "command", globals: globalsOf(options), run: chosen.run };
}

/** Help and version come out of the parser as errors that succeeded. */
function answer(
  error: CommanderError,
  { printed, argv }: { readonly printed: string; readonly argv: readonly string[] },
): CommandLine {
  switch (error.code) {
    case "commander.helpDisplayed":
      return { kind: "help", text: printed };
    case "commander.version":
      return { kind: "version", text: printed };
    case "commander.help":
      // `toolmap help` prints to stdout; a line without a command would print to stderr.
      if (printed !== "") return { kind: "help", text: printed };
      throw usage("No command was given.", helpFor(argv));
    default:
      throw usage(error.message.replace(/^error: /, ""), helpFor(argv));
  }
}

function helpFor(argv: readonly string[]): string {
  const command = COMMANDS.find((name) => argv.includes(name));
  return command === undefined ? "toolmap --help" : `toolmap ${command} --help`;
}

const COMMANDS = ["demo", "tools", "explain", "why", "call", "run", "sessions", "audit"];

function usage(problem: string, help: string): ToolmapError {
  const sentence = /[.?!)]$/.test(problem) ? problem : `${problem}.`;
  return new ToolmapError("usage", sentence.charAt(0).toUpperCase() + sentence.slice(1), { fix: `See ${help}.` });
}

/** Flags that need a configuration file: known, and refused until there is one. */
function refuseConfigured(options: OptionValues): void {
  for (const [key, flag] of CONFIGURED) {
    const value: unknown = options[key];
    if (value === undefined || value === false) continue;
    throw new ToolmapError(
      "not-yet-configured",
      `${flag} needs a configuration, which this version does not read yet.`,
      {
        fix: `Leave ${flag} out: without it, the built-in tools work in the current folder.`,
      },
    );
  }
}

const CONFIGURED = [
  ["config", "--config"],
  ["agent", "--agent"],
  ["model", "--model"],
] as const;

/** The parser checked the choices and filled in the defaults. */
function globalsOf(options: OptionValues): GlobalOptions {
  return {
    cwd: String(options["cwd"]),
    json: options["json"] === true,
    quiet: options["quiet"] === true,
    verbose: options["verbose"] === true,
    color: options["color"] as ColourChoice,
    input: options["input"] !== false,
  };
}
