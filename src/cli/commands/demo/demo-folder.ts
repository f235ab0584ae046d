import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { DEMO_FILES, DEMO_POLICY, DEMO_POLICY_FILE } from "./demo-files.ts";

/** Where edits go instead of the owner's text. */
export const DRAFTS = "drafts";

/** Makes the demo's folder, does some work in it, and removes it whatever happens. */
export async function withDemoFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolmap-demo-"));
  try {
    await fill(folder);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function fill(folder: string): Promise<void> {
  const draft = DEMO_FILES.get("README.md") ?? "";
  const files = [...DEMO_FILES, [`${DRAFTS}/README.md`, draft] as const, [DEMO_POLICY_FILE, DEMO_POLICY] as const];
  for (const [name, text] of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
