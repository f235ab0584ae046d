import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifySession, type Verification } from "../../src/journal/verify-session.ts";
import type { Head } from "../../src/journal/read-journal.ts";
import { memoryDisk } from "./memory-disk.ts";
import { JOURNAL, writtenLines } from "./written.ts";

function verify(lines: readonly Uint8Array[], expected?: Head): Verification {
  const disk = memoryDisk();
  disk.files.set(JOURNAL, Buffer.concat(lines));
  return verifySession("/f/s1", { disk, expected });
}

describe.each([
  ["by one owner", Number.POSITIVE_INFINITY],
  ["by a new owner every two lines", 2],
])("verifySession of a record %s", async (_, term) => {
  const lines = await writtenLines(7, term);
  const { head } = verify(lines);
  const whole = Buffer.concat(lines);
  const lastBegins = whole.length - (lines.at(-1)?.length ?? 0);

  test("is content with the record as it was written", () => {
    expect(verify(lines, head)).toMatchObject({ isIntact: true, lines: 7, problems: [], head: { number: 7 } });
  });

  test("finds a change of any single byte, in the last line by the head that was noted", () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: 1, max: 255 })), (changes) => {
        for (let at = 0; at < whole.length; at += 1) {
          const changed = Buffer.from(whole);
          changed[at] = (changed[at] ?? 0) ^ Number(changes.next().value);
          expect(verify([changed], head).isIntact).toBe(false);
          if (at < lastBegins) expect(verify([changed]).isIntact).toBe(false);
        }
      }),
      { numRuns: 4 },
    );
  });

  test("finds every deletion of lines, at the end by the head that was noted", () => {
    for (let from = 0; from < lines.length; from += 1) {
      for (let to = from + 1; to <= lines.length; to += 1) {
        const left = lines.toSpliced(from, to - from);
        expect(verify(left, head).isIntact).toBe(false);
        if (to < lines.length) expect(verify(left).isIntact).toBe(false);
      }
    }
  });

  test("finds every exchange of two lines", () => {
    for (let first = 0; first < lines.length; first += 1) {
      for (let second = first + 1; second < lines.length; second += 1) {
        const swapped = lines.with(first, lines[second] ?? lines[0]!).with(second, lines[first] ?? lines[0]!);
        expect(verify(swapped).isIntact).toBe(false);
      }
    }
  });
});

test("verifySession knows a noted head in a record that has grown since", async () => {
  const lines = await writtenLines(5);
  const { head } = verify(lines.slice(0, 3));
  expect(verify(lines, head).isIntact).toBe(true);
  expect(verify(lines, { ...head, hash: "0".repeat(32) }).problems).toMatchObject([{ kind: "other-head" }]);
});
