import { EXIT } from "./exit-code.ts";

/** Aborts at the first signal to stop, so that calls end with a result; the second one ends the process at once. */
export function watchStop(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(EXIT.cancelled);
      controller.abort(name);
    });
  }
  return controller.signal;
}

/** Rejects with what nobody caught: a tool that throws from a timer must end as words and an exit code. */
export function watchCrash(process: NodeJS.Process): Promise<never> {
  return new Promise((_, reject) => {
    process.on("uncaughtException", reject);
  });
}

/** Whoever reads may stop reading (`| head`): that is no failure, and what a call does is not cut short for it. */
export function watchPipe(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") throw error;
    });
  }
}
