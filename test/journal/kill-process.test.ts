import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { createFileStore } from "../../src/journal/file-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Appends and lists for ever, and says after each round which entry is confirmed. */
const WRITER = `
import { createFileStore } from "./store.mjs";
const store = createFileStore({ folder: process.argv[2] });
const { entries } = await store.readSession("s1");
for (let number = entries.filter(({ type }) => type === "note").length + 1; ; number += 1) {
  const text = number % 3 === 0 ? String(number).repeat(20_000) : "short";
  await store.journal.append({ type: "note", session: "s1", number, text }, { sync: true });
  process.stdout.write(number + "\\n");
  await store.list();
}
`;

/** Kills the writer as soon as it has confirmed so many entries. Gives the last number that it confirmed. */
async function writeAndKill(script: string, { folder, after }: { folder: string; after: number }): Promise<number> {
  const writer = spawn(process.execPath, [script, folder], { stdio: ["ignore", "pipe", "inherit"] });
  let last = 0;
  let count = 0;
  for await (const line of createInterface(writer.stdout)) {
    last = Number(line);
    count += 1;
    if (count === after) writer.kill("SIGKILL");
  }
  if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  return last;
}

test("FIL-07 a process that is killed while it writes loses nothing that it had confirmed", async () => {
  const build = temporaryFolder();
  const bundle = await rolldown({ input: "src/journal/file-store.ts", platform: "node", logLevel: "silent" });
  await bundle.write({ file: path.join(build, "store.mjs"), format: "esm" });
  const script = path.join(build, "writer.mjs");
  writeFileSync(script, WRITER);

  const folder = temporaryFolder();
  for (let round = 1; round <= 8; round += 1) {
    const confirmed = await writeAndKill(script, { folder, after: round * 2 });
    const { entries, problems } = await createFileStore({ folder }).readSession("s1");
    const numbers = entries.map(({ number }) => number);
    expect(numbers).toEqual(Array.from(numbers, (_, at) => at + 1));
    expect(numbers.length).toBeGreaterThanOrEqual(confirmed);
    expect(problems.filter(({ kind }) => kind !== "torn-tail")).toEqual([]);
  }
  const store = createFileStore({ folder });
  await store.journal.append({ type: "end", session: "s1" }, { sync: true });
  await store.close();
  expect(await store.verify("s1")).toMatchObject({ isIntact: true, problems: [] });
  expect(await store.list()).toMatchObject([{ id: "s1", problems: 0 }]);
  expect(JSON.parse(readFileSync(path.join(folder, "index.json"), "utf8"))).toMatchObject({ v: 1 });
  expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".tmp"))).toEqual(
    [],
  );
});
