import type { ExitCode } from "./exit-code.ts";
import type { Host, Output } from "./output/output.ts";

/** What every command receives. */
export interface CommandContext {
  readonly host: Host;
  readonly out: Output;
  /** The absolute folder to work in; it exists. */
  readonly cwd: string;
  /** Aborts when the process is told to stop. */
  readonly signal: AbortSignal;
  /** Whether somebody is there to answer: a terminal, no `--no-input`, no CI. */
  readonly canAsk: boolean;
}

/** A command with its arguments read; loading it is part of running it. */
export type RunCommand = (context: CommandContext) => Promise<ExitCode>;
