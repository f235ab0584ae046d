import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyReplacements, planEdits } from "../../src/builtin/apply-edits.ts";
import { editDiff } from "../../src/builtin/edit-diff.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createHands, temporaryFolder, type Outcome } from "./support.ts";

/** Edits a file with the content; gives the answer and the bytes afterwards. */
async function editBytes(
  content: string | Uint8Array,
  edits: readonly JsonObject[],
): Promise<Outcome & { readonly after: Buffer }> {
  const root = temporaryFolder();
  const file = path.join(root, "f.txt");
  writeFileSync(file, content);
  const outcome = await createHands(root).call("edit", { path: "f.txt", edits });
  return { ...outcome, after: readFileSync(file) };
}

async function editText(
  content: string,
  ...edits: readonly JsonObject[]
): Promise<Outcome & { readonly after: string }> {
  const outcome = await editBytes(content, edits);
  return { ...outcome, after: outcome.after.toString() };
}

describe("edit", () => {
  test("edit applies several edits to the original and shows a diff", async () => {
    const { after, text } = await editText(
      "one\ntwo\nthree\n",
      { old: "one", new: "two" },
      { old: "two\n", new: "2\n2b\n" },
    );
    expect(after).toBe("two\n2\n2b\nthree\n");
    expect(text).toBe(
      "Edited f.txt in 2 places.\n--- f.txt\n+++ f.txt\n@@ -1,3 +1,4 @@\n-one\n-two\n+two\n+2\n+2b\n three",
    );
  });

  test.each(["$$", "$&", "$'", "$`", "$1", "\\n$<x>"])("FIL-01 the text %s is written as it is", async (given) => {
    expect((await editText("a X b X c", { old: "X", new: given, all: true })).after).toBe(`a ${given} b ${given} c`);
    expect((await editText("a X b", { old: "X", new: given })).after).toBe(`a ${given} b`);
  });

  test("FIL-02 LF text edits a CRLF file, whose new lines are CRLF", async () => {
    const { after } = await editText("a\r\nb\r\nc\r\nd\n", { old: "a\nb\n", new: "a\nnew\nb\n" });
    expect(after).toBe("a\r\nnew\r\nb\r\nc\r\nd\n");
    expect((await editText("a\r\nb\r\n", { old: "b", new: "b\nc" })).after).toBe("a\r\nb\r\nc\r\n");
  });

  test("FIL-02 CRLF text edits an LF file, whose new lines are LF", async () => {
    expect((await editText("a\nb\nc\n", { old: "a\r\nb", new: "x\r\ny" })).after).toBe("x\ny\nc\n");
  });

  test("FIL-02 an edit about line ends alone is taken as it is written", async () => {
    expect((await editText("a\r\nb\r\n", { old: "a\r\n", new: "a\n" })).after).toBe("a\nb\r\n");
  });

  test("FIL-04 a byte order mark stays and the first line can be edited", async () => {
    expect((await editText("\ufeffone\ntwo\n", { old: "one\n", new: "1\n" })).after).toBe("\ufeff1\ntwo\n");
  });

  test("FIL-04 UTF-16 and FIL-14 Latin-1 and GBK files are refused and stay", async () => {
    for (const bytes of [
      Buffer.from("\ufeffone", "utf16le"),
      Buffer.from([111, 110, 101, 233]),
      Buffer.from([0xc4, 0xe3, 111, 110, 101]),
    ]) {
      const { isError, text, after } = await editBytes(bytes, [{ old: "one", new: "two" }]);
      expect(isError).toBe(true);
      expect(text).toContain("it is not UTF-8 text");
      expect(after.equals(bytes)).toBe(true);
    }
  });

  test("edit refuses several matches and names their lines", async () => {
    const { isError, text, after } = await editText("x\ny\nx\nx\n", { old: "x", new: "z" });
    expect({ isError, after }).toEqual({ isError: true, after: "x\ny\nx\nx\n" });
    expect(text).toContain("3 times, at lines 1, 3 and 4");
    expect((await editText("aaa", { old: "aa", new: "b" })).text).toContain("2 times");
  });

  test("edit names the nearest lines when nothing matches", async () => {
    const { text } = await editText("alpha\nfunction greet(name) {\nomega\n", {
      old: "function great(name) {",
      new: "x",
    });
    expect(text).toContain('line 2 "function greet(name) {"');
    expect(text).toContain("Nothing was changed");
  });

  test("FIL-05 a look-alike is named by its code point", async () => {
    expect((await editText("the cat\u2019s hat\n", { old: "the cat's hat", new: "x" })).text).toContain(
      'there U+2019 stands where "old" has "\'"',
    );
    expect((await editText("a\u00a0value here\n", { old: "a value here", new: "x" })).text).toContain(
      'U+00A0 stands where "old" has U+0020',
    );
  });

  test("edit tells an anchor with the line numbers of read from other misses", async () => {
    expect((await editText("one\ntwo\n", { old: "1→one\n2→two", new: "x" })).text).toContain("holds line numbers");
  });

  test("edit refuses what is empty, the same, overlapping or without effect", async () => {
    expect((await editText("a", { old: "", new: "b" })).text).toContain('"old" is empty');
    expect((await editText("a", { old: "a", new: "a" })).text).toContain("are the same");
    expect((await editText("abc", { old: "ab", new: "x" }, { old: "bc", new: "y" })).text).toContain(
      "two edits overlap at line 1",
    );
    expect((await editText("a b", { old: "a", new: "x" }, { old: "c", new: "y" })).text).toContain("in edit 2 of 2");
  });

  test("edit makes all edits or none", async () => {
    const { after, isError } = await editText("a b", { old: "a", new: "x" }, { old: "nowhere", new: "y" });
    expect({ after, isError }).toEqual({ after: "a b", isError: true });
  });

  test("edit clips a long diff and says so", async () => {
    const { text } = await editText("x\n".repeat(2000), { old: "x", new: "y", all: true });
    expect(text).toContain("more lines of the diff are not shown]");
    expect(text.length).toBeLessThan(10_000);
  });
});

describe("planEdits", () => {
  test("planEdits and applyReplacements leave every byte outside the places as it is", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "b", "\n", "\r\n", "$", "é", "\u00a0"), maxLength: 20 });
    fc.assert(
      fc.property(piece, piece, piece, (head, tail, instead) => {
        const text = `${head}<ONE>${tail}`;
        const plan = planEdits({ verb: "edit", path: "f" }, text, [{ old: "<ONE>", new: instead }]);
        const after = applyReplacements(text, plan);
        expect(after.startsWith(head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        expect(after.slice(head.length, after.length - tail.length).replaceAll("\r\n", "\n")).toBe(
          instead.replaceAll("\r\n", "\n"),
        );
      }),
    );
  });

  test("planEdits finds LF text in any mix of line ends exactly where it stands", () => {
    const lineEnd = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(fc.array(lineEnd, { minLength: 4, maxLength: 4 }), ([first, second, third, fourth]) => {
        const text = `start${first}one${second}two${third}end${fourth}`;
        const [place] = planEdits({ verb: "edit", path: "f" }, text, [{ old: "one\ntwo\n", new: "1" }]);
        expect(text.slice(place?.start, place?.end)).toBe(`one${second}two${third}`);
      }),
    );
  });
});

test("editDiff keeps distant changes apart and counts lines on both sides", () => {
  const lines = Array.from({ length: 30 }, (_, index) => `l${index + 1}`);
  const text = `${lines.join("\n")}\n`;
  const plan = planEdits({ verb: "edit", path: "f" }, text, [
    { old: "l5\n", new: "five\nfive and a half\n" },
    { old: "l25\n", new: "" },
  ]);
  const diff = editDiff("f", text, plan);
  expect(diff.match(/^@@.*@@$/gm)).toEqual(["@@ -2,7 +2,8 @@", "@@ -22,7 +23,6 @@"]);
  expect(diff).toContain(" l4\n-l5\n+five\n+five and a half\n l6");
});
