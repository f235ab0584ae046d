import { createInterface } from "node:readline";
import type { CommandContext } from "../../command-context.ts";

/** Asks on the terminal; anything but a yes, and the end of the input, is a no. Rejects with an AbortError when told to stop. */
export async function confirm(question: string, { host, signal }: CommandContext): Promise<boolean> {
  const lines = createInterface({ input: host.stdin, terminal: false });
  try {
    host.stderr.write(`${question} [y/N] `);
    return await new Promise((resolve, reject) => {
      const stop = (): void => reject(new DOMException("Stopped before it was answered.", "AbortError"));
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      lines.once("line", (line) => resolve(/^\s*y(es)?\s*$/i.test(line)));
      lines.once("close", () => resolve(false));
    });
  } finally {
    lines.close();
  }
}
