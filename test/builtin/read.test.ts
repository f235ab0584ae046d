import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { countLines, readPage } from "../../src/builtin/page.ts";
import type { SpillPort } from "../../src/core/dispatch/ports.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createHands, nextCall, pageLines, temporaryFolder, type Hands } from "./support.ts";

function folderWith(files: Readonly<Record<string, string | Uint8Array>>): {
  readonly root: string;
  readonly hands: Hands;
} {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  return { root, hands: createHands(root) };
}

/** Follows every hint literally; the pieces in order, joined. A repeated hint fails. */
async function readToEnd(hands: Hands, first: JsonObject): Promise<{ readonly text: string; readonly calls: number }> {
  const seen = new Set<string>();
  let text = "";
  let calls = 0;
  for (let input: JsonObject | undefined = first; input; calls += 1) {
    const key = JSON.stringify(input);
    expect(seen.has(key)).toBe(false);
    seen.add(key);
    const page = await hands.call("read", input);
    expect(page.isError, page.text.slice(0, 200)).toBe(false);
    expect(Buffer.byteLength(page.text)).toBeLessThan(60 * 1024);
    const isContinued = input["column"] !== undefined;
    text += (text === "" || isContinued ? "" : "\n") + pageLines(page.text).join("\n");
    input = nextCall(page.text);
  }
  return { text, calls };
}

describe("read", () => {
  test("read numbers lines and adds nothing else to a short file", async () => {
    const { hands } = folderWith({ "a.txt": "one\ntwo\r\n\nfour" });
    expect((await hands.call("read", { path: "a.txt" })).text).toBe("1→one\n2→two\n3→\n4→four");
  });

  test("read shows a part with offset and limit and names the exact next call", async () => {
    const { hands } = folderWith({ "a.txt": "1\n2\n3\n4\n5\n" });
    const { text } = await hands.call("read", { path: "a.txt", offset: 2, limit: 2 });
    expect(text).toMatch(/^2→2\n3→3\n\n\[Lines 2-3\. More follows\./);
    expect(nextCall(text)).toEqual({ path: "a.txt", offset: 4, limit: 2 });
    expect((await hands.call("read", { path: "a.txt", offset: 4, limit: 2 })).text).toBe(
      "4→4\n5→5\n\n[Lines 4-5, to the end.]",
    );
  });

  test("read counts a negative offset from the end", async () => {
    const { hands } = folderWith({ "a.txt": "1\n2\n3\n" });
    expect((await hands.call("read", { path: "a.txt", offset: -2 })).text).toMatch(/^2→2\n3→3\n/);
    expect((await hands.call("read", { path: "a.txt", offset: -9 })).text).toBe("1→1\n2→2\n3→3");
  });

  test("read past the end is an error with the number of lines", async () => {
    const { hands } = folderWith({ "a.txt": "1\n2\n", "empty.txt": "" });
    expect(await hands.call("read", { path: "a.txt", offset: 3 })).toMatchObject({
      isError: true,
      text: 'Cannot read "a.txt": offset 3 is past the end; there are 2 lines.',
    });
    expect((await hands.call("read", { path: "a.txt", offset: 0 })).isError).toBe(true);
    expect((await hands.call("read", { path: "a.txt", column: 9 })).text).toContain("line 1; it has 1 character");
    expect((await hands.call("read", { path: "empty.txt" })).text).toBe("[The file is empty.]");
    expect((await hands.call("read", { path: "empty.txt", offset: 2 })).text).toContain("there are 0 lines");
  });

  test("RES-03 following the hints of a long file gives every line once", async () => {
    const content = Array.from({ length: 7001 }, (_, index) => `line ${index} ${"x".repeat(index % 90)}`).join("\n");
    const { hands } = folderWith({ "long.txt": content });
    const { text, calls } = await readToEnd(hands, { path: "long.txt" });
    expect(text).toBe(content);
    expect(calls).toBeGreaterThan(4);
  });

  test("RES-04 a one-line 2 MB file is read to the end by following the hints", async () => {
    const content = JSON.stringify({ data: "äb€😀".repeat(200_000) });
    const { hands } = folderWith({ "one.json": content });
    const { text, calls } = await readToEnd(hands, { path: "one.json" });
    expect(text === content).toBe(true);
    expect(calls).toBeLessThan(60);
  });

  test("RES-04 lines after a very long one follow it without a gap", async () => {
    const content = `short\n${"é".repeat(60_000)}\nend`;
    const { hands } = folderWith({ "mixed.txt": content });
    expect((await readToEnd(hands, { path: "mixed.txt" })).text).toBe(content);
  });

  test("read keeps a byte order mark out of sight", async () => {
    const { hands } = folderWith({ "bom.txt": "\ufeffone\ntwo\n" });
    expect((await hands.call("read", { path: "bom.txt" })).text).toBe("1→one\n2→two");
  });

  test("FIL-13 a folder, a pipe, a device, a binary and a missing file are refused at once", async () => {
    const { root, hands } = folderWith({
      "bin.dat": Buffer.from([127, 69, 76, 70, 0, 1]),
      "latin.txt": Buffer.from([99, 233, 10]),
    });
    mkdirSync(path.join(root, "folder"));
    execFileSync("mkfifo", [path.join(root, "pipe")]);
    symlinkSync("/dev/zero", path.join(root, "zero"));
    const server = createServer().listen(path.join(root, "socket"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const why = async (given: string) => (await hands.call("read", { path: given })).text;
    expect(await why("folder")).toContain("it is a folder. List it with ls");
    expect(await why("pipe")).toContain("a named pipe");
    expect(await why("socket")).toContain("a socket");
    expect(await why("zero")).toContain("outside the root");
    expect(await why("bin.dat")).toContain("it is binary (6 bytes, starting with 7f 45 4c 46 00 01)");
    expect(await why("latin.txt")).toContain("line 1 is not valid UTF-8");
    expect(await why("none.txt")).toContain("it does not exist");
    expect(await why("bin.dat/x")).toContain("a part of the path is a file");
  });

  test("FIL-13 a sparse file of 3 GB is refused without being read", async () => {
    const { root, hands } = folderWith({ "huge.bin": "" });
    truncateSync(path.join(root, "huge.bin"), 3 * 1024 ** 3);
    expect((await hands.call("read", { path: "huge.bin" })).text).toContain("it is binary (3221225472 bytes");
  });

  test("FIL-14 UTF-16 text is named and refused", async () => {
    const { hands } = folderWith({ "wide.txt": Buffer.from("\ufeffhi", "utf16le") });
    expect((await hands.call("read", { path: "wide.txt" })).text).toContain("it is UTF-16 text");
  });

  test("read shows an image by its content and describes one that is too large", async () => {
    const png = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(100)]);
    const { root, hands } = folderWith({ "picture.txt": png, "big.png": png });
    truncateSync(path.join(root, "big.png"), 5_000_000);
    const small = await hands.call("read", { path: "picture.txt" });
    expect(small.content[1]).toEqual({ type: "image", mimeType: "image/png", data: png.toString("base64") });
    const big = await hands.call("read", { path: "big.png" });
    expect(big).toMatchObject({ isError: false, content: [{ type: "text" }] });
    expect(big.text).toContain("5000000 bytes");
  });

  test("read stops when its signal is aborted", async () => {
    const { hands } = folderWith({ "a.txt": "x\n" });
    expect((await hands.call("read", { path: "a.txt" }, { signal: AbortSignal.abort() })).isError).toBe(true);
  });
});

describe("read of a kept output", () => {
  /** Counts characters as UTF-16 units do. */
  const portOf = (text: string): SpillPort => ({
    write: () => Promise.resolve({ id: "x" }),
    read: (id, offset, length) =>
      id === "out"
        ? Promise.resolve(text.slice(offset, offset + length))
        : Promise.reject(new Error("/var/spill/none")),
  });

  test("RES-03 read pages through a kept output to its end", async () => {
    const kept = Array.from({ length: 9000 }, (_, index) => `😀 row ${index}`).join("\n");
    const hands = createHands(temporaryFolder(), { spill: portOf(kept) });
    expect((await readToEnd(hands, { path: "spill:out" })).text).toBe(kept);
  });

  test("read says when nothing is kept under a name, without saying where", async () => {
    const hands = createHands(temporaryFolder(), { spill: portOf("") });
    const { text, isError } = await hands.call("read", { path: "spill:gone" });
    expect(isError).toBe(true);
    expect(text).toContain("no output is kept under this name");
    expect(text).not.toContain("/var");
    expect((await createHands(temporaryFolder()).call("read", { path: "spill:x" })).isError).toBe(true);
  });
});

describe("readPage", () => {
  async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  test("readPage leaves no gap and no overlap for any text, page and chunk size", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.replaceAll(/[\r\n\ufeff]/g, ""));
    const cases = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 12 }),
      maxBytes: fc.integer({ min: 16, max: 120 }),
      limit: fc.integer({ min: 1, max: 5 }),
      size: fc.integer({ min: 1, max: 50 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ lines, maxBytes, limit, size }) => {
        const text = lines.join("\n");
        const bytes = Buffer.from(text);
        fc.pre(!text.endsWith("\n") && text !== "");
        const parts: string[] = [];
        let place: { readonly offset: number; readonly column?: number } | undefined = { offset: 1 };
        while (place) {
          const { offset, column = 1 } = place;
          const page = await readPage(inPieces(bytes, size), { offset, column, limit, maxBytes });
          if (page.kind !== "lines") throw new Error(page.kind);
          parts.push((parts.length > 0 && column === 1 ? "\n" : "") + pageLines(page.text).join("\n"));
          place = page.next;
        }
        expect(parts.join("")).toBe(text);
        expect(await countLines(inPieces(bytes, size))).toBe(lines.length);
      }),
    );
  });
});
