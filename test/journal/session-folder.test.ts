import fc from "fast-check";
import path from "node:path";
import { expect, test } from "vitest";
import { sessionFolderName } from "../../src/journal/session-folder.ts";
import { memoryDisk } from "./memory-disk.ts";
import { storeOn } from "./written.ts";

const ids = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.stringMatching(/^[a-zA-Z0-9._-]{1,6}$/),
  fc.constantFrom("..", ".", "a/b", "A", "a", "a.", "con", "NUL.txt", "index.json", "\ud800", "\ufffd", "", ".spills"),
);

test("sessionFolderName keeps a plain id as it is", () => {
  for (const id of ["s1", "2025-01-01_a.b", "x-1", "a".repeat(81)]) expect(sessionFolderName(id)).toBe(id);
});

test("sessionFolderName hashes whatever is not plain, never leaves the folder, and takes no name that is needed", () => {
  for (const id of [
    "",
    "..",
    "A",
    "a/b",
    "a\\b",
    "a.",
    "con",
    "aux.txt",
    "index.json",
    "a".repeat(82),
    `x-${"0".repeat(32)}`,
  ]) {
    expect(sessionFolderName(id)).toMatch(/^x-[0-9a-f]{32}$/);
  }
  fc.assert(
    fc.property(ids, (id) => {
      const name = sessionFolderName(id);
      expect(name).toMatch(/^[a-z0-9][a-z0-9._-]{0,80}$/);
      expect(path.dirname(path.join("/f", name))).toBe("/f");
      expect(sessionFolderName(name) === name).toBe(name === id);
    }),
  );
});

test("sessionFolderName gives two ids two names, also where case does not count", () => {
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      fc.pre(one !== other);
      expect(sessionFolderName(one).toLowerCase()).not.toBe(sessionFolderName(other).toLowerCase());
    }),
    { numRuns: 1000 },
  );
});

test("a session of any id is read back and listed by that id", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(ids, { maxLength: 5 }), async (all) => {
      const disk = memoryDisk();
      const store = storeOn(disk);
      for (const session of all) await store.journal.append({ type: "note", session }, { sync: true });
      for (const session of all)
        expect((await store.readSession(session)).entries).toEqual([{ type: "note", session }]);
      expect((await store.list()).map(({ id }) => id).sort()).toEqual([...all].sort());
    }),
  );
});
