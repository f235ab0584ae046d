import { PassThrough } from "node:stream";
import type { Host } from "../../src/cli/output/output.ts";

export interface FakeHost extends Host {
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly written: { stdout: string; stderr: string };
}

/** Streams that remember; `isTTY` makes all three a terminal. */
export function fakeHost({
  isTTY = false,
  env = {},
}: { readonly isTTY?: boolean; readonly env?: Host["env"] } = {}): FakeHost {
  const written = { stdout: "", stderr: "" };
  const stdin = Object.assign(new PassThrough(), { isTTY });
  return {
    env,
    stdin,
    stdout: { isTTY, columns: 80, write: (text) => (written.stdout += text) },
    stderr: { isTTY, columns: 80, write: (text) => (written.stderr += text) },
    written,
  };
}
