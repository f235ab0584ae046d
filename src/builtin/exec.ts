import { lstatSync } from "node:fs";
import type { Clock } from "../core/clock.ts";
import type { AgentTool, ToolContext } from "../core/tool/tool.ts";
import { commandEnv } from "./command-env.ts";
import { coreTool } from "./core-tool.ts";
import { findShell, type Shell } from "./find-shell.ts";
import { OutputKeeper } from "./output-keeper.ts";
import { ProgressReporter } from "./progress-reporter.ts";
import type { ProcessGroup } from "./process-group.ts";
import { rootKeys } from "./resource-keys.ts";
import { runCommand, type CommandEnd } from "./run-command.ts";
import type { RunningCommands } from "./running-commands.ts";
import { cannot, describeCode, systemCode, ToolFailure } from "./tool-failure.ts";
import { resolvePath, type Workspace } from "./workspace.ts";

export interface ExecInput {
  readonly command: string;
  readonly timeout_ms?: number;
  readonly cwd?: string;
}

/** What every command of one source shares. */
export interface ExecOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly commands: RunningCommands;
}

/** Runs a shell command in the root. */
export function execTool(workspace: Workspace, options: ExecOptions): AgentTool<ExecInput, ExecInput> {
  const env = commandEnv(options.env);
  const shell = findShell(env["PATH"] ?? "");
  return coreTool<ExecInput>({
    name: "exec",
    description:
      `Runs a command with ${shell.name} in the root and returns its output and exit code. It can read nothing from a person, keeps no state ` +
      "for the next call (no cd, no variables), and sees only basic environment variables. Of long output the beginning and the end are shown.",
    properties: {
      command: { type: "string", minLength: 1, description: `A ${shell.name} command.` },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: LONGEST_MS,
        description: "Milliseconds after which it is ended. Default: 120000.",
      },
      cwd: { type: "string", description: "Folder to run in, relative to the root. Default: the root." },
    },
    required: ["command"],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    // The command's own limit always comes first.
    timeoutMs: LONGEST_MS + 60_000,
    resources: () => rootKeys(workspace, "write"),
    execute: (input, context) =>
      new Execution(input, { ...options, env, shell, cwd: folderOf(workspace, input) }).run(context),
  });
}

const LONGEST_MS = 600_000;
const DEFAULT_MS = 120_000;
const HEAD_BYTES = 6 * 1024;
const TAIL_BYTES = 24 * 1024;

function folderOf(workspace: Workspace, { cwd = "." }: ExecInput): string {
  const task = { verb: "run a command in", path: cwd };
  const place = resolvePath(workspace, task);
  if (!place.exists) throw cannot(task, "it does not exist");
  if (!lstatSync(place.real).isDirectory()) throw cannot(task, "it is not a folder");
  return place.real;
}

interface ExecutionOptions extends ExecOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly shell: Shell;
  readonly cwd: string;
}

class Execution {
  readonly #input: ExecInput;
  readonly #options: ExecutionOptions;
  readonly #output = new OutputKeeper({ headBytes: HEAD_BYTES, tailBytes: TAIL_BYTES });

  constructor(input: ExecInput, options: ExecutionOptions) {
    this.#input = input;
    this.#options = options;
  }

  async run(context: ToolContext): Promise<unknown> {
    if (this.#input.command.includes("\0")) throw new ToolFailure("Cannot run the command: it holds a NUL character.");
    context.signal.throwIfAborted();
    const end = await this.#start(context);
    const text = `${this.#shownOutput() || "(no output)"}\n${this.#describe(end).join("\n")}`;
    const isError = end.exitCode !== 0 || end.stopped !== undefined;
    return { content: [{ type: "text", text }], isError };
  }

  async #start(context: ToolContext): Promise<CommandEnd> {
    const { shell, cwd, env, clock, commands } = this.#options;
    const { command, timeout_ms: timeoutMs = DEFAULT_MS } = this.#input;
    const reporter = new ProgressReporter(clock, () => {
      context.progress({ content: [{ type: "text", text: this.#shownOutput() }] });
    });
    let group: ProcessGroup | undefined;
    try {
      const end = await runCommand({
        file: shell.file,
        args: [...shell.args, command],
        cwd,
        env,
        timeoutMs,
        clock,
        signal: context.signal,
        marker: commands.nextMarker(),
        onOutput: (text) => {
          this.#output.add(text);
          reporter.changed();
        },
        onStart: (started) => {
          group = started;
          commands.started(started);
        },
      });
      if (group) commands.ended(group, { leftBehind: end.left.length > 0 });
      return end;
    } catch (error) {
      throw describeStartFailure(error);
    } finally {
      reporter.stop();
    }
  }

  #shownOutput(): string {
    const { head, omitted, tail } = this.#output.read();
    if (omitted === 0) return plain(head + tail);
    const marker = `[… ${omitted} bytes left out. To see them, send the output to a file in the root and read that.]`;
    return `${plain(head)}\n${marker}\n${plain(tail)}`;
  }

  #describe({ exitCode, signal, stopped, left }: CommandEnd): readonly string[] {
    const { timeout_ms: timeoutMs = DEFAULT_MS } = this.#input;
    const rows: string[] = [];
    if (stopped === "timed-out") {
      rows.push(
        `[Not finished after ${timeoutMs} ms, and ended with all it had started. timeout_ms may be up to ${LONGEST_MS}.]`,
      );
    } else if (stopped === "cancelled") rows.push("[Cancelled, and ended with all it had started.]");
    else if (signal !== undefined) rows.push(`[ended by signal ${signal}]`);
    else rows.push(`[exit code ${exitCode ?? "unknown"}]`);
    if (left.length > 0) {
      const ids = left.slice(0, 20).join(" ");
      rows.push(
        `[Still running in the background, its further output is not read: process ${ids}. To end it: kill ${ids}]`,
      );
    }
    return rows;
  }
}

/** Without the commands to a terminal, which mean nothing to a model, and without NUL characters, which break transcripts. */
function plain(output: string): string {
  return output.replace(TERMINAL_COMMANDS, "").replaceAll("\0", "\u2400").replace(/\n$/, "");
}

// ECMA-48 control sequences, and operating system commands up to their end.
// eslint-disable-next-line no-control-regex
const TERMINAL_COMMANDS = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

function describeStartFailure(error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === "E2BIG")
    return new ToolFailure("Cannot run the command: it is too long. Put it into a file and run that.");
  return new ToolFailure(`Cannot start the shell: ${describeCode(code)}.`);
}
