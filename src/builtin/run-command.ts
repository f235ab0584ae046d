import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import { ProcessGroup, RUN_MARKER } from "./process-group.ts";

/** What to run and for how long. `marker` names this run among all others. */
export interface CommandRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Gets the output of both streams as it comes, in whole characters. */
  onOutput(text: string): void;
  onStart?(group: ProcessGroup): void;
}

/** How a command ended. `stopped`: it was made to. `left`: what it started and left running. */
export interface CommandEnd {
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stopped: "timed-out" | "cancelled" | undefined;
  readonly left: readonly number[];
}

/**
 * Runs a program in a process group of its own, with nothing to read. Settles when the program itself has ended, though what
 * it started may still hold its output. Stopping asks first and kills after a grace. Rejects if it cannot be started.
 */
export function runCommand(request: CommandRequest): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const { file, args, cwd, env, marker } = request;
    const child = spawn(file, args, {
      cwd,
      env: { ...env, [RUN_MARKER]: marker },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.once("error", reject);
    if (child.pid === undefined) return;
    const group = new ProcessGroup(child.pid, marker);
    request.onStart?.(group);
    new CommandWatch(child, { request, group, resolve }).begin();
  });
}

/** How long output may still come after the end, how long a stopped command may take, and how long a killed one. */
const DRAIN_MS = 100;
const GRACE_MS = 2000;
const KILLED_MS = 1000;

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface WatchOptions {
  readonly request: CommandRequest;
  readonly group: ProcessGroup;
  readonly resolve: (end: CommandEnd) => void;
}

/** States: running → (stopping →) exited → settled. */
class CommandWatch {
  readonly #child: Child;
  readonly #request: CommandRequest;
  readonly #group: ProcessGroup;
  readonly #resolve: (end: CommandEnd) => void;
  readonly #timers: (() => void)[] = [];
  readonly #decoders: InstanceType<typeof TextDecoder>[] = [];
  #stopped: CommandEnd["stopped"];
  #isKilled = false;
  #hasExited = false;
  #isClosed = false;
  #isSettled = false;

  constructor(child: Child, { request, group, resolve }: WatchOptions) {
    this.#child = child;
    this.#request = request;
    this.#group = group;
    this.#resolve = resolve;
  }

  begin(): void {
    const { timeoutMs, signal } = this.#request;
    this.#listen(this.#child.stdout);
    this.#listen(this.#child.stderr);
    this.#child.once("exit", () => this.#onExit());
    this.#child.once("close", () => {
      this.#isClosed = true;
      if (!this.#isStopping()) this.#settle();
    });
    this.#after(timeoutMs, () => this.#stop("timed-out"));
    signal.addEventListener("abort", this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  readonly #onAbort = (): void => this.#stop("cancelled");

  /** One decoder a stream, so that a character split between two pieces stays whole. */
  #listen(stream: Readable): void {
    const decoder = new TextDecoder();
    this.#decoders.push(decoder);
    stream.on("data", (bytes: Buffer) => this.#emit(decoder.decode(bytes, { stream: true })));
    // A broken pipe ends the stream; "close" says the rest.
    stream.on("error", () => undefined);
  }

  #emit(text: string): void {
    if (text !== "" && !this.#isSettled) this.#request.onOutput(text);
  }

  #stop(why: NonNullable<CommandEnd["stopped"]>): void {
    if (this.#stopped !== undefined || this.#isSettled || this.#hasExited) return;
    this.#stopped = why;
    this.#group.terminate();
    this.#after(GRACE_MS, () => this.#kill());
  }

  #onExit(): void {
    this.#hasExited = true;
    // What left the group gets no grace once the command itself has ended.
    if (this.#stopped !== undefined && !this.#group.mayBeAlive()) this.#kill();
    else if (!this.#isStopping()) this.#after(DRAIN_MS, () => this.#settleAfterReading());
  }

  /** Stopped, and the grace is not over. */
  #isStopping(): boolean {
    return this.#stopped !== undefined && !this.#isKilled;
  }

  #kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.#group.kill();
    // Killed processes need a moment; one in an uninterruptible wait does not end even so.
    this.#after(this.#hasExited ? DRAIN_MS : KILLED_MS, () => this.#settleAfterReading());
  }

  /** After a busy moment the timer comes before the output that has been waiting: it is read first. */
  #settleAfterReading(): void {
    setImmediate(() => this.#settle());
  }

  #settle(): void {
    if (this.#isSettled) return;
    for (const decoder of this.#decoders) this.#emit(decoder.decode());
    this.#isSettled = true;
    for (const cancel of this.#timers) cancel();
    this.#request.signal.removeEventListener("abort", this.#onAbort);
    const mayHaveLeft = !this.#isClosed || this.#group.mayBeAlive();
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
    this.#child.unref();
    this.#resolve({
      exitCode: this.#child.exitCode ?? undefined,
      signal: this.#child.signalCode ?? undefined,
      stopped: this.#stopped,
      left: mayHaveLeft ? this.#group.members() : [],
    });
  }

  #after(ms: number, run: () => void): void {
    this.#timers.push(this.#request.clock.after(ms, run));
  }
}
