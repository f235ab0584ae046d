import fc from "fast-check";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { createFileStore } from "../../src/journal/file-store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { memoryDisk } from "./memory-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const entry = (number: number): JsonObject => ({ type: "note", session: "s1", number });

test("createFileStore gives back every JSON entry exactly, from memory and from another process's view", async () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "v",
      "n",
      "fence",
      "at",
      "prev",
      "$v",
      "$$prev",
      "$blob",
      "$$blob",
      "bytes",
      "__proto__",
      "constructor",
    ),
  );
  const long = fc.constantFrom("x".repeat(16_385), "€".repeat(6_000), `${"x".repeat(20_000)}\ud800`);
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.jsonValue().map((each) => JSON.parse(JSON.stringify(each)) as unknown),
      long,
      fc.constantFrom("\ud800", "\u2028\n\0", "$blob", '"$'),
      fc.dictionary(name, tie("value")).map((each) => ({ ...each })),
      fc.array(tie("value")),
      fc.record({ $blob: fc.string(), bytes: fc.nat() }),
    ),
  })).value;
  const members = fc.dictionary(name, value);
  await fc.assert(
    fc.asyncProperty(fc.array(members, { maxLength: 5 }), async (list) => {
      const entries = list.map((each) => ({ ...each, type: "note", session: "s1" })) as JsonObject[];
      const disk = memoryDisk();
      const store = createFileStore({ folder: "/f", disk });
      for (const each of entries) await store.journal.append(each, { sync: true });
      const read = await createFileStore({ folder: "/f", disk }).readSession("s1");
      expect(read.problems).toEqual([]);
      expect(JSON.stringify(read.entries)).toBe(JSON.stringify(entries));
    }),
    { numRuns: 150 },
  );
});

test("createFileStore goes on where another process stopped, under private modes", async () => {
  const folder = temporaryFolder();
  for (let number = 1; number <= 3; number += 1) {
    const store = createFileStore({ folder, clock: manualClock() });
    await store.journal.append(entry(number), { sync: true });
    await store.close();
  }
  const read = await createFileStore({ folder }).readSession("s1");
  expect(read).toMatchObject({ problems: [], entries: [entry(1), entry(2), entry(3)] });
  expect(read.recorded.map(({ number }) => number)).toEqual([1, 2, 3]);
  expect(statSync(path.join(folder, "s1", "journal.jsonl")).mode & 0o777).toBe(0o600);
  expect(statSync(path.join(folder, "s1")).mode & 0o777).toBe(0o700);
});

test("createFileStore reads a session that was never written as an empty one", async () => {
  const read = await createFileStore({ folder: path.join(temporaryFolder(), "none") }).readSession("s1");
  expect(read).toMatchObject({ entries: [], problems: [], head: { number: 0 } });
});

test("a tail that is torn at any byte of the last line costs that line alone, and is kept beside", async () => {
  const folder = temporaryFolder();
  const store = createFileStore({ folder });
  const last = { ...entry(3), text: "ä€😀" };
  for (const each of [entry(1), entry(2), last]) await store.journal.append(each, { sync: true });
  await store.close();
  const file = path.join(folder, "s1", "journal.jsonl");
  const whole = readFileSync(file);
  const begin = whole.lastIndexOf(10, whole.length - 2) + 1;
  for (let cut = begin; cut < whole.length; cut += 1) {
    writeFileSync(file, whole.subarray(0, cut));
    const torn = await createFileStore({ folder }).readSession("s1");
    expect(torn.entries).toEqual([entry(1), entry(2)]);
    expect(torn.problems.map(({ kind, line, offset }) => ({ kind, line, offset }))).toEqual(
      cut === begin ? [] : [{ kind: "torn-tail", line: 3, offset: begin }],
    );
    const next = createFileStore({ folder });
    await next.journal.append(entry(4), { sync: true });
    await next.close();
    expect(await next.readSession("s1")).toMatchObject({ problems: [], entries: [entry(1), entry(2), entry(4)] });
    if (cut > begin) {
      expect(readFileSync(path.join(folder, "s1", `damaged-${cut - begin}.txt`))).toEqual(whole.subarray(begin, cut));
    }
  }
});
