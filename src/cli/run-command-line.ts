import { statSync } from "node:fs";
import path from "node:path";
import { ToolmapError } from "../core/errors.ts";
import { clipText } from "../core/json.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { type Host, Output, type OutputOptions } from "./output/output.ts";
import { reportError, reportStopped } from "./output/report-error.ts";
import { type CommandLine, parseCommandLine } from "./parse-command-line.ts";

/** The process around a command line. */
export interface ProcessPorts {
  readonly host: Host;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
  /** Rejects with what nobody caught. */
  readonly crash: Promise<never>;
}

/** One command line from its words to its exit code. Never rejects: what is thrown is reported. */
export async function runCommandLine(
  argv: readonly string[],
  { host, signal, crash }: ProcessPorts,
): Promise<ExitCode> {
  let out = new Output(host, optionsBeforeParsing(argv));
  try {
    const line = parseCommandLine(argv);
    if (line.kind !== "command") return printText(line, out);
    const { globals, run } = line;
    out = new Output(host, globals);
    const cwd = resolveFolder(globals.cwd);
    return await Promise.race([run({ host, out, cwd, signal, canAsk: globals.input && hasSomebody(host) }), crash]);
  } catch (error) {
    return signal.aborted && isAbort(error) ? reportStopped(out) : reportError(error, out);
  }
}

/** A line that cannot be read still says how it wants its failure: `--json` counts wherever it stands. */
function optionsBeforeParsing(argv: readonly string[]): OutputOptions {
  const end = argv.indexOf("--");
  const words = end === -1 ? argv : argv.slice(0, end);
  const verbose = words.includes("-v") || words.includes("--verbose");
  return { json: words.includes("--json"), quiet: false, verbose, color: "auto" };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

function printText({ kind, text }: Exclude<CommandLine, { readonly kind: "command" }>, out: Output): ExitCode {
  if (out.json) out.document({ [kind]: text.trimEnd() });
  else out.line(text.trimEnd());
  return EXIT.ok;
}

function resolveFolder(folder: string): string {
  const absolute = path.resolve(folder);
  if (isFolder(absolute)) return absolute;
  throw new ToolmapError("usage", `Cannot work in "${clipText(folder, 200)}": it is not a folder.`, {
    fix: "Name a folder that exists with -C.",
  });
}

function isFolder(absolute: string): boolean {
  try {
    return statSync(absolute).isDirectory();
  } catch {
    return false;
  }
}

/** Whoever is asked has to see the question and be able to answer. In CI nobody is there, whatever the streams say. */
function hasSomebody({ env, stdin, stderr }: Host): boolean {
  const ci = env["CI"] ?? "";
  const isCi = ci !== "" && ci !== "0" && ci !== "false";
  return !isCi && stdin.isTTY === true && stderr.isTTY === true;
}
