import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A real folder that is removed when the file's tests have run. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolmap-journal-"));
  made.push(folder);
  return folder;
}
