import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createFileStore } from "../../src/journal/file-store.ts";
import { memoryDisk } from "./memory-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { JOURNAL, linesOf, note, numbersIn, storeOn } from "./written.ts";

const full = (): Error => Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
const failed = (): Error => Object.assign(new Error("i/o error"), { code: "EIO" });
const synced = { sync: true };
const unsynced = { sync: false };
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe("the disk", () => {
  test("append makes those of one turn share a sync and those that come meanwhile the next, and none settles before a sync that began after its write", async () => {
    const disk = memoryDisk();
    disk.holdsSyncs = true;
    const { journal } = storeOn(disk);
    const settled: number[] = [];
    const appendEight = (from: number): Promise<unknown>[] =>
      Array.from({ length: 8 }, async (_, at) => {
        await journal.append(note(from + at), synced);
        settled.push(from + at);
      });
    const first = appendEight(0);
    await turn();
    expect([disk.syncs.length, settled]).toEqual([1, []]);
    const second = appendEight(8);
    await turn();
    expect([disk.syncs.length, settled]).toEqual([1, []]);
    disk.held[0]?.settle();
    await Promise.all(first);
    await turn();
    expect([disk.syncs.length, settled.length]).toEqual([2, 8]);
    disk.held[1]?.settle();
    await Promise.all(second);
    expect([disk.syncs.length, settled.length]).toEqual([2, 16]);
  });

  const numbersOn = (disk: ReturnType<typeof memoryDisk>): unknown[] =>
    numbersIn(disk.files.get(JOURNAL) ?? Buffer.alloc(0));

  test("append without sync waits for nothing and is written when the event loop turns", async () => {
    const disk = memoryDisk();
    const { journal } = storeOn(disk);
    await journal.append(note(1), unsynced);
    await journal.append(note(2), unsynced);
    await new Promise((resolve) => setImmediate(resolve));
    expect(numbersOn(disk)).toEqual([1, 2]);
    expect(disk.syncs).toEqual([]);
  });

  test("append with sync writes what was held before it, in one go", async () => {
    const disk = memoryDisk();
    const { journal } = storeOn(disk);
    void journal.append(note(1), unsynced);
    expect(numbersOn(disk)).toEqual([]);
    const done = journal.append(note(2), synced);
    expect(numbersOn(disk)).toEqual([1, 2]);
    await done;
  });

  test("append holds a bounded amount, however much comes before the event loop turns", async () => {
    const disk = memoryDisk();
    const { journal } = storeOn(disk);
    for (let number = 0; number < 1000; number += 1) void journal.append(note(number), unsynced);
    expect(numbersOn(disk).length).toBeGreaterThan(700);
  });

  test("readSession and close know what is held", async () => {
    const disk = memoryDisk();
    const store = storeOn(disk);
    void store.journal.append(note(1), unsynced);
    expect((await store.readSession("s1")).entries).toMatchObject([{ number: 1 }]);
    void store.journal.append(note(2), unsynced);
    await store.close();
    expect(numbersOn(disk)).toEqual([1, 2]);
  });

  test("what is held when the session is lost is not written, and the next append says so", async () => {
    const disk = memoryDisk();
    let owns = true;
    const { journal } = storeOn(disk, { owns: () => owns });
    await journal.append(note(1), synced);
    await journal.append(note(2), unsynced);
    owns = false;
    await new Promise((resolve) => setImmediate(resolve));
    expect(numbersOn(disk)).toEqual([1]);
    await expect(journal.append(note(3), unsynced)).rejects.toMatchObject({ code: "journal-fenced" });
  });

  test("what is held and cannot be written stays, and the next append says so", async () => {
    const disk = memoryDisk();
    const { journal } = storeOn(disk);
    await journal.append(note(1), synced);
    await journal.append(note(2), unsynced);
    disk.failAppend = () => ({ written: 0, error: Object.assign(new Error("full"), { code: "ENOSPC" }) });
    await new Promise((resolve) => setImmediate(resolve));
    await expect(journal.append(note(3), synced)).rejects.toMatchObject({ code: "journal-failed" });
    disk.failAppend = undefined;
    await journal.append(note(4), synced);
    expect(numbersOn(disk)).toEqual([1, 2, 4]);
  });

  test("append keeps the order of the calls, whoever waits for the disk", async () => {
    const disk = memoryDisk();
    const { journal } = storeOn(disk);
    await Promise.all(
      Array.from({ length: 50 }, (_, number) => journal.append(note(number), { sync: number % 3 === 0 })),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(numbersIn(disk.files.get(JOURNAL) ?? Buffer.alloc(0))).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  test("TRN-07 three writers append to one session at once, 50 times, and every line parses", async () => {
    const folder = temporaryFolder();
    const store = createFileStore({ folder });
    const writer = async (name: string): Promise<void> => {
      for (let number = 0; number < 50; number += 1) {
        await store.journal.append({ type: "intent", session: "s1", callId: `${name}-${number}` }, unsynced);
        await store.journal.append({ type: "outcome", session: "s1", callId: `${name}-${number}` }, synced);
      }
    };
    await Promise.all(["a", "b", "c"].map(writer));
    await store.close();
    const lines = linesOf(readFileSync(path.join(folder, "s1", "journal.jsonl"))).map(String);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toHaveLength(300);
    const { entries, problems } = await store.readSession("s1");
    expect(problems).toEqual([]);
    for (const [at, { type, callId }] of entries.entries()) {
      if (type !== "outcome") continue;
      expect(entries.slice(0, at)).toContainEqual({ type: "intent", session: "s1", callId });
    }
    expect(await store.verify("s1")).toMatchObject({ isIntact: true });
  });
});

describe("ownership", () => {
  test("append writes nothing when this process has lost the session", async () => {
    const disk = memoryDisk();
    let owned = true;
    const store = storeOn(disk, { owns: () => owned });
    await store.journal.append(note(1), synced);
    const before = disk.files.get(JOURNAL);
    owned = false;
    await expect(store.journal.append(note(2), synced)).rejects.toMatchObject({ code: "journal-fenced" });
    await expect(store.repair("s1")).rejects.toMatchObject({ code: "journal-fenced" });
    expect(disk.files.get(JOURNAL)).toEqual(before);
  });

  test("append refuses a record that holds lines of a later owner", async () => {
    const disk = memoryDisk();
    await storeOn(disk, { fenceOf: () => 3 }).journal.append(note(1), synced);
    const before = disk.files.get(JOURNAL);
    const former = storeOn(disk, { fenceOf: () => 2 });
    await expect(former.journal.append(note(2), synced)).rejects.toMatchObject({ code: "journal-fenced" });
    expect(disk.files.get(JOURNAL)).toEqual(before);
  });

  test("append reads the record anew when it owns the session under another fence", async () => {
    const disk = memoryDisk();
    let fence = 1;
    const first = storeOn(disk, { fenceOf: () => fence });
    await first.journal.append(note(1), synced);
    await storeOn(disk, { fenceOf: () => 2 }).journal.append(note(2), synced);
    fence = 3;
    await first.journal.append(note(3), synced);
    expect(numbersIn(disk.files.get(JOURNAL) ?? Buffer.alloc(0))).toEqual([1, 2, 3]);
    expect(await first.verify("s1")).toMatchObject({ isIntact: true, problems: [] });
  });

  test("append refuses an entry without a session or a type, and what is no JSON", async () => {
    const { journal } = storeOn(memoryDisk());
    await expect(journal.append({ type: "note" }, synced)).rejects.toMatchObject({ code: "bad-option" });
    await expect(journal.append({ session: "s1" }, synced)).rejects.toMatchObject({ code: "bad-option" });
    const cyclic: Record<string, never> = {};
    Object.assign(cyclic, { type: "note", session: "s1", cyclic });
    await expect(journal.append(cyclic, synced)).rejects.toMatchObject({ code: "journal-failed" });
  });
});

describe("faults", () => {
  test.each([0, 1, 40])(
    "append cuts off a write that failed after %i bytes, and the next line stands",
    async (written) => {
      const disk = memoryDisk();
      const store = storeOn(disk);
      await store.journal.append(note(1), synced);
      disk.failAppend = () => ({ written, error: full() });
      await expect(store.journal.append(note(2), synced)).rejects.toMatchObject({
        code: "journal-failed",
        message: `"${JOURNAL}" could not be written: the disk is full (ENOSPC).`,
        fix: "Free some space, then open the session again.",
      });
      disk.failAppend = undefined;
      await store.journal.append(note(3), synced);
      expect(await store.readSession("s1")).toMatchObject({ problems: [], entries: [note(1), note(3)] });
      expect(await store.verify("s1")).toMatchObject({ isIntact: true });
    },
  );

  test("append is sealed when a failed write cannot be cut off, until the session is opened again", async () => {
    const disk = memoryDisk();
    const store = storeOn(disk);
    await store.journal.append(note(1), synced);
    disk.failAppend = () => ({ written: 10, error: full() });
    disk.failTruncate = failed();
    await expect(store.journal.append(note(2), synced)).rejects.toMatchObject({ code: "journal-failed" });
    disk.failAppend = undefined;
    await expect(store.journal.append(note(3), synced)).rejects.toThrow("the disk is full");
    expect((await store.readSession("s1")).entries).toEqual([note(1)]);
    disk.failTruncate = undefined;
    await store.closeSession("s1");
    await store.journal.append(note(4), synced);
    expect(await store.readSession("s1")).toMatchObject({ problems: [], entries: [note(1), note(4)] });
  });

  test("append does not cut where another process has written too", async () => {
    const disk = memoryDisk();
    const store = storeOn(disk);
    await store.journal.append(note(1), synced);
    disk.files.set(JOURNAL, Buffer.concat([disk.files.get(JOURNAL) ?? Buffer.alloc(0), Buffer.from("other\n")]));
    await store.journal.append(note(2), synced);
    disk.failAppend = () => ({ written: 10, error: full() });
    await expect(store.journal.append(note(3), synced)).rejects.toThrow("the disk is full");
    disk.failAppend = undefined;
    await expect(store.journal.append(note(4), synced)).rejects.toThrow("the disk is full");
    expect((await store.readSession("s1")).entries).toEqual([note(1), note(2)]);
  });

  test("append rejects for everybody who waits when the disk fails to keep lines, and is sealed", async () => {
    const disk = memoryDisk();
    disk.holdsSyncs = true;
    const { journal } = storeOn(disk);
    const all = [1, 2, 3].map((number) => journal.append(note(number), synced));
    const outcomes = Promise.allSettled(all);
    await turn();
    disk.held[0]?.settle(failed());
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(disk.syncs).toHaveLength(1);
    await expect(journal.append(note(4), unsynced)).rejects.toMatchObject({
      message: `"${JOURNAL}" could not be kept on the disk: the disk failed (EIO).`,
    });
  });

  test("append to a full disk says so, and goes on when there is space", async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "s1"));
    symlinkSync("/dev/full", path.join(folder, "s1", "journal.jsonl"));
    const store = createFileStore({ folder });
    await expect(store.journal.append(note(1), synced)).rejects.toThrow("the disk is full (ENOSPC)");
    await expect(store.journal.append(note(1), synced)).rejects.toThrow("the disk is full (ENOSPC)");
    await expect(store.closeSession("s1")).rejects.toThrow();
    rmSync(path.join(folder, "s1", "journal.jsonl"));
    await store.journal.append(note(2), synced);
    expect((await store.readSession("s1")).entries).toEqual([note(2)]);
    await store.close();
  });

  test("append notices that the folder was removed, and that the file was replaced", async () => {
    const folder = temporaryFolder();
    const store = createFileStore({ folder });
    await store.journal.append(note(1), synced);
    const file = path.join(folder, "s1", "journal.jsonl");
    const bytes = readFileSync(file);
    rmSync(path.join(folder, "s1"), { recursive: true });
    await expect(store.journal.append(note(2), synced)).rejects.toThrow("it was removed while the session was open");
    await expect(store.journal.append(note(3), unsynced)).rejects.toMatchObject({ code: "journal-failed" });
    await store.closeSession("s1");
    await store.journal.append(note(4), synced);
    rmSync(file);
    writeFileSync(file, bytes);
    await expect(store.journal.append({ ...note(5), more: "x".repeat(500) }, synced)).rejects.toThrow(
      "it was replaced",
    );
    await store.closeSession("s1");
  });

  test("append says why a folder cannot be made, and makes nothing", async () => {
    const folder = path.join(temporaryFolder(), "file");
    writeFileSync(folder, "");
    const { journal } = createFileStore({ folder });
    await expect(journal.append(note(1), synced)).rejects.toMatchObject({ code: "journal-failed" });
    expect(existsSync(path.join(folder, "s1"))).toBe(false);
  });
});
