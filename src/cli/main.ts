import { watchCrash, watchPipe, watchStop } from "./process-signals.ts";
import { runCommandLine } from "./run-command-line.ts";

/** The process: runs a command line, waits until its words are out, and exits. Whatever a tool left running ends with it. */
export async function main(argv: readonly string[]): Promise<void> {
  watchPipe([process.stdout, process.stderr]);
  const { env, stdin, stdout, stderr } = process;
  const code = await runCommandLine(argv, {
    host: { env, stdin, stdout, stderr },
    signal: watchStop(process),
    crash: watchCrash(process),
  });
  await Promise.all([flushed(stdout), flushed(stderr)]);
  process.exit(code);
}

/** A stream to a pipe that nobody reads never drains, but a destroyed one does not call back either. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
