import { expect, test } from "vitest";
import { existsSync, readdirSync, statSync, chmodSync, writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Disk } from "../../src/journal/disk.ts";
import { createFileStore } from "../../src/journal/file-store.ts";
import { memoryDisk, type MemoryDisk } from "./memory-disk.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { JOURNAL, note, numbersIn, storeOn } from "./written.ts";

const synced = { sync: true };

/** A disk that fails for ever after so many changes, as for a process that is killed between two of them. */
function killedAfter(changes: number, disk: MemoryDisk): { disk: Disk; wasKilled: () => boolean } {
  let left = changes;
  const mortal =
    <A extends readonly unknown[], R>(change: (...given: A) => R) =>
    (...given: A): R => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      return change(...given);
    };
  const { create, replace, rename, remove } = disk;
  return {
    disk: {
      ...disk,
      create: mortal(create),
      replace: mortal(replace),
      rename: mortal(rename),
      remove: mortal(remove),
      openForAppend(file) {
        const opened = mortal(disk.openForAppend)(file);
        return {
          get size() {
            return opened.size;
          },
          append: mortal((bytes: Uint8Array) => opened.append(bytes)),
          sync: () => opened.sync(),
          truncate: mortal((size: number) => opened.truncate(size)),
          close: () => opened.close(),
        };
      },
    },
    wasKilled: () => left < 0,
  };
}

/** Runs `act` killed after every number of changes, each time on a disk of its own. */
async function atEveryKill(
  prepare: () => Promise<MemoryDisk>,
  act: (disk: Disk) => Promise<unknown>,
  check: (disk: MemoryDisk) => Promise<void> | void,
): Promise<number> {
  for (let changes = 0; ; changes += 1) {
    const disk = await prepare();
    const mortal = killedAfter(changes, disk);
    await act(mortal.disk).catch(() => undefined);
    await check(disk);
    if (!mortal.wasKilled()) return changes;
  }
}

async function damagedRecord(): Promise<MemoryDisk> {
  const disk = memoryDisk();
  const store = storeOn(disk);
  for (const number of [1, 2, 3]) await store.journal.append(note(number), synced);
  const text = String(disk.files.get(JOURNAL)).replace("entry 2", "entry X");
  disk.files.set(JOURNAL, Buffer.from(`${text}torn`));
  return disk;
}

test("FIL-07 a repair that is killed anywhere leaves the old record or the new one", async () => {
  const kills = await atEveryKill(
    damagedRecord,
    (disk) => createFileStore({ folder: "/f", disk }).repair("s1"),
    (disk) =>
      expect([
        [1, 3],
        [undefined, 1, 3],
      ]).toContainEqual(numbersIn(disk.files.get(JOURNAL) ?? Buffer.alloc(0))),
  );
  expect(kills).toBeGreaterThan(1);
});

test("FIL-07 an opening that is killed anywhere loses nothing, and the next one goes on", async () => {
  const kills = await atEveryKill(
    damagedRecord,
    (disk) => createFileStore({ folder: "/f", disk }).journal.append(note(4), synced),
    async (disk) => {
      const everything = [...disk.files].map(([, bytes]) => String(bytes)).join("");
      expect(everything).toContain("torn");
      const store = storeOn(disk);
      await store.journal.append(note(5), synced);
      const { entries, problems } = await store.readSession("s1");
      expect(entries.filter(({ number }) => number !== 4).map(({ number }) => number)).toEqual([1, 3, 5]);
      expect(problems).toMatchObject([{ kind: "damaged-line", line: 2 }]);
    },
  );
  expect(kills).toBeGreaterThan(2);
});

test("FIL-07 a purge that is killed anywhere leaves whole sessions, and the next one removes what is left", async () => {
  const kills = await atEveryKill(
    async () => {
      const disk = memoryDisk();
      const store = storeOn(disk);
      for (const session of ["s1", "s2"]) {
        await store.journal.append({ ...note(1), session, text: "x".repeat(20_000) }, synced);
      }
      await store.list();
      return disk;
    },
    (disk) => createFileStore({ folder: "/f", disk }).purge({ ids: ["s1"], isLocked: () => false }),
    async (disk) => {
      const store = storeOn(disk);
      for (const { id } of await store.list()) expect((await store.verify(id)).isIntact).toBe(true);
      await store.purge({ ids: ["s1"], isLocked: () => false });
      expect((await store.list()).map(({ id }) => id)).toEqual(["s2"]);
      expect([...disk.files.keys()].filter((file) => !file.startsWith("/f/s2/"))).toEqual(["/f/index.json"]);
    },
  );
  expect(kills).toBeGreaterThan(1);
});

test("FIL-07 temporary files of a killed process are removed, those of a living one stay", async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "s1"));
  const dead = 2 ** 22 + 1; // above the highest number that Linux gives
  const stray = path.join(folder, "s1", `.journal.jsonl.${dead}.tmp`);
  const index = path.join(folder, `.index.json.${dead}.tmp`);
  const living = path.join(folder, `.index.json.${process.ppid}.tmp`);
  for (const file of [stray, index, living]) writeFileSync(file, "half");
  const store = createFileStore({ folder });
  await store.journal.append(note(1), synced);
  await store.list();
  expect([stray, index, living].map((file) => existsSync(file))).toEqual([false, false, true]);
  await store.close();
});

test("FIL-09 everything is for its owner alone, and a replaced record keeps its mode", async () => {
  const folder = path.join(temporaryFolder(), "sessions");
  const store = createFileStore({ folder });
  for (const number of [1, 2, 3]) await store.journal.append({ ...note(number), more: "x".repeat(20_000) }, synced);
  await store.spillOf("s1").write("output");
  await store.spill.write("output");
  await store.list();
  await store.close();
  const journal = path.join(folder, "s1", "journal.jsonl");
  writeFileSync(journal, "torn", { flag: "a" });
  await store.repair("s1");
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const { mode, size } = statSync(path.join(folder, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
    expect(size).toBeGreaterThan(0);
  }
  chmodSync(journal, 0o400);
  writeFileSync(journal, "torn", { flag: "a" });
  await store.repair("s1");
  expect(statSync(journal).mode & 0o777).toBe(0o400);
});
