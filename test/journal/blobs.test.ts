import { expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import { memoryDisk, type MemoryDisk } from "./memory-disk.ts";
import { JOURNAL, storeOn } from "./written.ts";

const long = "ä".repeat(9_000);
const entry: JsonObject = { type: "outcome", session: "s1", content: [{ type: "text", text: long }, { again: long }] };
const blobsOf = (disk: MemoryDisk): string[] => [...disk.files.keys()].filter((file) => file.includes("/blobs/"));

test("a text over 16 KiB is stored once, in a file named after its hash, and the line is short", async () => {
  const disk = memoryDisk();
  const store = storeOn(disk);
  await store.journal.append(entry, { sync: true });
  await store.journal.append({ ...entry, number: 2 }, { sync: true });
  const [blob, ...others] = blobsOf(disk);
  expect([disk.files.get(blob ?? "")?.toString(), others]).toEqual([long, []]);
  expect(disk.files.get(JOURNAL)?.length).toBeLessThan(1_000);
  expect(disk.files.get(JOURNAL)?.toString()).toContain('"bytes":18000}');
  expect(await storeOn(disk).readSession("s1")).toMatchObject({
    problems: [],
    entries: [entry, { ...entry, number: 2 }],
  });
});

test("a text of 16 KiB stays in its line", async () => {
  const disk = memoryDisk();
  await storeOn(disk).journal.append({ ...entry, content: "x".repeat(16 * 1024) }, { sync: true });
  expect(blobsOf(disk)).toEqual([]);
});

test("a long text is on the disk when its line is", async () => {
  const disk = memoryDisk();
  disk.holdsSyncs = true;
  const store = storeOn(disk);
  let isSettled = false;
  const append = store.journal.append(entry, { sync: true }).then(() => (isSettled = true));
  await new Promise((resolve) => void setImmediate(resolve));
  expect(disk.syncs.map((file) => file.includes("/blobs/"))).toEqual([true, false]);
  disk.held[1]?.settle();
  await new Promise((resolve) => void setImmediate(resolve));
  expect(isSettled).toBe(false);
  disk.held[0]?.settle();
  await append;
});

test("a long text of a line that nobody waits for is put on the disk all the same, and its file is closed", async () => {
  const disk = memoryDisk();
  await storeOn(disk).journal.append(entry, { sync: false });
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  expect(disk.syncs.filter((file) => file.includes("/blobs/"))).toHaveLength(1);
  expect(disk.open.filter((file) => file.includes("/blobs/"))).toEqual([]);
});

test("a long text that is lost or was changed is reported, and a text says so in its place", async () => {
  const disk = memoryDisk();
  const store = storeOn(disk);
  await store.journal.append(entry, { sync: true });
  const [blob = ""] = blobsOf(disk);
  for (const damage of [() => disk.files.delete(blob), () => disk.files.set(blob, Buffer.from(`${long}!`))]) {
    damage();
    const { entries, problems } = await store.readSession("s1");
    expect(problems[0]).toMatchObject({ kind: "missing-blob", line: 1, offset: 0 });
    expect(JSON.stringify(entries)).toContain("is lost.)");
    expect(await store.verify("s1")).toMatchObject({ isIntact: false });
  }
});

test("what a crash left of a long text is replaced when the text comes again", async () => {
  const disk = memoryDisk();
  await storeOn(disk).journal.append(entry, { sync: true });
  const [blob = ""] = blobsOf(disk);
  disk.files.set(blob, Buffer.alloc(18_000));
  const store = storeOn(disk);
  await store.journal.append(entry, { sync: true });
  expect(await store.readSession("s1")).toMatchObject({ problems: [], entries: [entry, entry] });
});

test("a reference that is a path reads nothing", async () => {
  const disk = memoryDisk();
  disk.files.set("/f/s1/secret", Buffer.from("secret"));
  const line = (name: unknown): string =>
    `{"v":1,"n":1,"fence":0,"at":"t","prev":"${"0".repeat(32)}","type":"x","session":"s1","text":{"$blob":${JSON.stringify(name)},"bytes":6}}\n`;
  for (const name of ["../secret", "/f/s1/secret", "", 5, null]) {
    disk.files.set(JOURNAL, Buffer.from(line(name)));
    const { entries, problems } = await storeOn(disk).readSession("s1");
    expect(problems).toMatchObject([{ kind: "missing-blob" }]);
    expect(JSON.stringify(entries)).not.toContain('secret"}');
  }
});
