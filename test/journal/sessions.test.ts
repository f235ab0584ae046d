import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type { Disk } from "../../src/journal/disk.ts";
import { createFileStore, type FileStore } from "../../src/journal/file-store.ts";
import { nodeDisk } from "../../src/journal/node-disk.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { memoryDisk } from "./memory-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { JOURNAL, note, storeOn } from "./written.ts";

const synced = { sync: true };
const call = (type: string, callId: string): JsonObject => ({ type, session: "s1", callId });
const user = (session: string, text: string): JsonObject => ({
  type: "message",
  session,
  message: { role: "user", content: [{ type: "text", text }] },
});

/** A disk that counts what is read. */
function countingDisk(): { disk: Disk; reads: string[] } {
  const reads: string[] = [];
  const read = (file: string): Uint8Array | undefined => {
    reads.push(path.basename(file));
    return nodeDisk.read(file);
  };
  return { disk: { ...nodeDisk, read }, reads };
}

async function threeSessions(folder: string): Promise<{ store: FileStore; clock: ReturnType<typeof manualClock> }> {
  const clock = manualClock();
  const store = createFileStore({ folder, clock });
  for (const id of ["old", "Mid/dle", "new"]) {
    await store.journal.append(user(id, `What is ${id}?`), synced);
    await store.spillOf(id).write(`output of ${id}`);
    await clock.advance(60_000);
  }
  return { store, clock };
}

describe("list", () => {
  test("list names sessions newest first, with title, size and times", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    await store.journal.append({ type: "outcome", session: "old", callId: "c1" }, synced);
    const list = await store.list();
    expect(list.map(({ id, title, lines }) => [id, title, lines])).toEqual([
      ["old", "What is old?", 2],
      ["new", "What is new?", 1],
      ["Mid/dle", "What is Mid/dle?", 1],
    ]);
    const [first] = list;
    expect(Date.parse(first?.changedAt ?? "") - Date.parse(first?.openedAt ?? "")).toBe(180_000);
    expect(first?.bytes).toBe(statSync(path.join(folder, "old", "journal.jsonl")).size);
    await store.close();
  });

  test("list clips a title to 80 characters, and finds one in a long text", async () => {
    const store = storeOn(memoryDisk());
    await store.journal.append(user("s1", "long ".repeat(5_000)), synced);
    await store.journal.append(user("s1", "second"), synced);
    const [only] = await store.list();
    expect([only?.title.length, only?.title.slice(0, 9)]).toEqual([81, "long long"]);
  });

  test("SES-03 list reads the state off the entries", async () => {
    const states: [string, JsonObject[]][] = [
      ["ready", [note(1)]],
      ["calling", [call("intent", "a"), call("intent", "b"), call("outcome", "a")]],
      ["ready", [call("intent", "a"), call("outcome", "a")]],
      ["asking", [call("approval-requested", "a")]],
      ["ready", [call("approval-requested", "a"), call("approval-answered", "a")]],
      ["closed", [call("intent", "a"), { type: "session-closed", session: "s1" }]],
    ];
    for (const [state, entries] of states) {
      const store = storeOn(memoryDisk());
      for (const entry of entries) await store.journal.append(entry, synced);
      expect(await store.list()).toMatchObject([{ state }]);
    }
  });

  test("list reads a journal again only when it has changed", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    const first = await store.list();
    const { disk, reads } = countingDisk();
    const other = createFileStore({ folder, disk });
    expect(await other.list()).toEqual(first);
    expect(reads).toEqual(["index.json"]);
    await store.journal.append(user("new", "more"), synced);
    expect((await other.list())[0]).toMatchObject({ id: "new", lines: 2 });
    expect(reads).toEqual(["index.json", "index.json", "journal.jsonl"]);
    utimesSync(path.join(folder, "old", "journal.jsonl"), 1, 1);
    await other.list();
    expect(reads.filter((name) => name === "journal.jsonl")).toHaveLength(2);
    await store.close();
  });

  test.each(["", "{", "[]", '{"v":1}', '{"v":1,"sessions":[null,{"folder":"old"}]}', '{"v":2,"sessions":[]}'])(
    "list does without an index that reads %j, and makes it anew",
    async (text) => {
      const folder = temporaryFolder();
      const { store } = await threeSessions(folder);
      const list = await store.list();
      const index = readFileSync(path.join(folder, "index.json"));
      writeFileSync(path.join(folder, "index.json"), text);
      expect(await store.list()).toEqual(list);
      expect(readFileSync(path.join(folder, "index.json"))).toEqual(index);
      await store.close();
    },
  );

  test("list shows a session whose record cannot be read, and leaves out what is no session", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "file"), "x");
    for (const name of ["broken", "empty", "copy"]) mkdirSync(path.join(folder, name));
    const store = createFileStore({ folder });
    await store.journal.append(note(1), synced);
    await store.close();
    writeFileSync(path.join(folder, "broken", "journal.jsonl"), "no journal\n");
    writeFileSync(path.join(folder, "copy", "journal.jsonl"), readFileSync(path.join(folder, "s1", "journal.jsonl")));
    const list = await store.list();
    expect(list.map(({ id, state }) => [id, state]).sort()).toEqual([
      ["broken", "damaged"],
      ["s1", "ready"],
    ]);
    await expect(store.journal.append({ type: "note", session: "copy" }, synced)).rejects.toThrow("another session");
  });
});

describe("purge", () => {
  const isLocked = (): boolean => false;

  test("list shows a session whose record cannot be opened, and the others as ever, and forgets it when it has gone", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    await store.close();
    mkdirSync(path.join(folder, "broken", "journal.jsonl"), { recursive: true });
    writeFileSync(path.join(folder, "broken", "journal.jsonl", "x"), "");
    for (let time = 0; time < 2; time += 1) {
      const listed = await createFileStore({ folder }).list();
      expect(listed.map(({ id }) => id).sort()).toEqual(["Mid/dle", "broken", "new", "old"]);
      expect(listed.find(({ id }) => id === "broken")).toMatchObject({ state: "damaged", problems: 1 });
    }
  });

  test("purge removes whole sessions and says what stays and why", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    await store.closeSession("old");
    await store.closeSession("Mid/dle");
    const purge = await store.purge({
      ids: ["old", "Mid/dle", "new", "none"],
      isLocked: async (id) => id === "Mid/dle",
    });
    expect(purge.removed).toMatchObject([{ id: "old" }]);
    expect(new Map(purge.left.map(({ id, why }) => [id, why]))).toEqual(
      new Map([
        ["none", "There is no such session."],
        ["new", "It is open in this process."],
        ["Mid/dle", "It is open in another process."],
      ]),
    );
    expect(readdirSync(folder)).not.toContain("old");
    expect((await store.list()).map(({ id }) => id)).toEqual(["new", "Mid/dle"]);
    await store.close();
  });

  test("purge by age and by number keeps what either condition keeps", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    await store.close();
    expect((await store.purge({ olderThanMs: 150_000, keep: 3, isLocked })).removed).toEqual([]);
    expect((await store.purge({ olderThanMs: 150_000, isLocked })).removed).toMatchObject([{ id: "old" }]);
    expect((await store.purge({ ids: ["new"], keep: 1, isLocked })).left).toEqual([
      { id: "new", why: "It is too new to go." },
    ]);
    expect((await store.purge({ keep: 1, isLocked })).removed).toMatchObject([{ id: "Mid/dle" }]);
    expect((await store.purge({ keep: 0, isLocked })).removed).toMatchObject([{ id: "new" }]);
  });

  test("purge leaves a session whose lock cannot be read, and refuses to guess what to remove", async () => {
    const folder = temporaryFolder();
    const { store } = await threeSessions(folder);
    await store.close();
    const purge = await store.purge({
      ids: ["old"],
      isLocked: () => {
        throw new Error("no lock service");
      },
    });
    expect(purge).toMatchObject({
      removed: [],
      left: [{ id: "old", why: expect.stringContaining("no lock service") }],
    });
    await expect(store.purge({ isLocked })).rejects.toMatchObject({ code: "bad-option" });
    expect(await store.list()).toHaveLength(3);
  });
});

describe("spill", () => {
  test("spill gives a text back by characters, in this process and in a later one", async () => {
    const folder = temporaryFolder();
    const text = "aä😀".repeat(10_000);
    const { id } = await createFileStore({ folder }).spill.write(text);
    const later = createFileStore({ folder }).spill;
    expect(await later.read(id, 0, text.length)).toBe(text);
    expect(await later.read(id, 4, 4)).toBe("aä😀");
    expect(await later.read(id, text.length, 10)).toBe("");
    expect((await later.write(text)).id).toBe(id);
  });

  test("spill resolves an id only where it was written, and no path", async () => {
    const folder = temporaryFolder();
    const store = createFileStore({ folder });
    const { id } = await store.spillOf("s1").write("mine");
    expect(await store.spillOf("s1").read(id, 0, 10)).toBe("mine");
    writeFileSync(path.join(folder, "secret"), "secret");
    for (const wrong of [id, "../secret", "", "..", `../s1/spills/${id}`]) {
      await expect(store.spillOf("s2").read(wrong, 0, 10)).rejects.toMatchObject({ code: "bad-option" });
    }
  });
});

describe("repair", () => {
  test("repair writes what stands to a new chain that says so, and keeps the old file as it was", async () => {
    const disk = memoryDisk();
    const store = storeOn(disk);
    const entries = [1, 2, 3, 4, 5].map((number) => ({ ...note(number), n: number, $blob: "literal", at: '"' }));
    for (const entry of entries) await store.journal.append(entry, synced);
    const damaged = Buffer.from(
      String(disk.files.get(JOURNAL)).replace("entry 2", "entry X").replace('"number":4', "@"),
    );
    disk.files.set(JOURNAL, damaged);
    const repair = await store.repair("s1");
    expect(repair).toMatchObject({ isRepaired: true, kept: 3, problems: [{ line: 2 }, { line: 4 }] });
    expect(disk.files.get(repair.original ?? "")).toEqual(damaged);
    const read = await store.readSession("s1");
    expect(read.problems).toEqual([]);
    expect(read.entries).toMatchObject([{ type: "repaired", lost: [{ line: 2 }, { line: 4 }] }, {}, {}, {}]);
    expect(read.entries.slice(1)).toEqual([entries[0], entries[2], entries[4]]);
    await store.journal.append(note(6), synced);
    expect(await store.verify("s1")).toMatchObject({ isIntact: true, lines: 5 });
    expect(await store.repair("s1")).toMatchObject({ isRepaired: false, kept: 5 });
  });

  test("repair never rewrites lines of a newer version", async () => {
    const disk = memoryDisk();
    const store = storeOn(disk);
    for (const number of [1, 2, 3]) await store.journal.append(note(number), synced);
    const { head } = await store.verify("s1");
    const text = String(disk.files.get(JOURNAL)).replace("entry 2", "entry X");
    const bytes = Buffer.from(`${text}{"v":7,"n":4,"fence":0,"at":"t","prev":"${head.hash}"}\n`);
    disk.files.set(JOURNAL, bytes);
    await expect(store.repair("s1")).rejects.toThrow("newer version");
    expect(disk.files.get(JOURNAL)).toEqual(bytes);
  });
});

test("exportSession gives one JSON document with everything in place", async () => {
  const store = storeOn(memoryDisk());
  const entry = { ...note(1), text: "x".repeat(20_000) };
  await store.journal.append(entry, synced);
  const exported = await store.exportSession("s1");
  expect(JSON.parse(JSON.stringify(exported))).toMatchObject({
    v: 1,
    session: "s1",
    head: { number: 1 },
    entries: [{ number: 1, fence: 0, entry }],
    problems: [],
  });
});
