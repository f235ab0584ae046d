import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Text that is piped in; `open` = a pipe that never closes; default: closed. */
  readonly stdin?: { readonly text: string } | "open" | "closed";
  /** Sees the process once it runs. */
  readonly during?: (child: ChildProcess) => void | Promise<void>;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BIN = path.resolve("bin/toolmap.js");

/** Starts the real command line in a process of its own. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return await runProcess(process.execPath, [BIN, ...args], options);
}

/** The same on a terminal of its own, by util-linux's `script`: stdout and stderr come as one. */
export async function runCliOnTerminal(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const line = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  return await runProcess("script", ["-qec", line, "/dev/null"], options);
}

/** A folder with these files, removed after the test. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "toolmap-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

async function runProcess(command: string, args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { cwd = process.cwd(), env = {}, stdin = "closed", during } = options;
  const { PATH = "", HOME = "" } = process.env;
  // What a run puts on record must not meet what another one did, let alone the sessions of whoever runs the tests.
  const TOOLMAP_HOME = env["TOOLMAP_HOME"] ?? makeFolder();
  const child = spawn(command, args, { cwd, env: { PATH, HOME, TOOLMAP_HOME, TERM: "xterm", ...env }, stdio: "pipe" });
  const out = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (out.stderr += text));
  child.stdin.on("error", () => undefined);
  if (stdin !== "open") child.stdin.end(stdin === "closed" ? "" : stdin.text);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("close", resolve);
    child.once("error", reject);
  });
  await during?.(child);
  return { code: await ended, ...out };
}
