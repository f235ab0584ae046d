import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHands, temporaryFolder, type Hands } from "./support.ts";

function createRoot(): { readonly at: (name: string) => string; readonly hands: Hands; readonly root: string } {
  const root = temporaryFolder();
  return { root, at: (name) => path.join(root, name), hands: createHands(root) };
}

describe("write", () => {
  test("write creates and replaces and counts bytes", async () => {
    const { at, hands } = createRoot();
    expect(await hands.call("write", { path: "a/b.txt", content: "é€" })).toMatchObject({
      text: "Created a/b.txt (5 bytes).",
      isError: false,
    });
    expect((await hands.call("write", { path: "a/b.txt", content: "" })).text).toBe(
      "Replaced a/b.txt (0 bytes; before 5).",
    );
    expect(readFileSync(at("a/b.txt"), "utf8")).toBe("");
  });

  test.each([0o755, 0o600, 0o4755, 0o640])("FIL-09 write and edit keep mode %o", async (mode) => {
    const { at, hands } = createRoot();
    writeFileSync(at("f"), "old\n");
    chmodSync(at("f"), mode);
    await hands.call("write", { path: "f", content: "new\n" });
    expect(statSync(at("f")).mode & 0o7777).toBe(mode);
    await hands.call("edit", { path: "f", edits: [{ old: "new", new: "newer" }] });
    expect(statSync(at("f")).mode & 0o7777).toBe(mode);
    expect(readFileSync(at("f"), "utf8")).toBe("newer\n");
  });

  test("FIL-12 a file marked read-only is refused and stays", async () => {
    const { at, hands } = createRoot();
    writeFileSync(at("f"), "old");
    chmodSync(at("f"), 0o444);
    expect((await hands.call("write", { path: "f", content: "new" })).text).toContain("the file is read-only");
    expect((await hands.call("edit", { path: "f", edits: [{ old: "old", new: "new" }] })).isError).toBe(true);
    expect(readFileSync(at("f"), "utf8")).toBe("old");
  });

  test("FIL-07 a write that fails leaves no temporary file, one that succeeds none either", async () => {
    const { root, at, hands } = createRoot();
    mkdirSync(at("folder"));
    writeFileSync(at("file"), "x");
    expect((await hands.call("write", { path: "folder", content: "x" })).text).toContain("it is a folder");
    expect((await hands.call("write", { path: "file/x", content: "x" })).isError).toBe(true);
    expect((await hands.call("write", { path: "half", content: "\ud800" })).isError).toBe(true);
    await hands.call("write", { path: "file", content: "y" });
    expect(readdirSync(root).sort()).toEqual(["file", "folder"]);
  });

  test("write goes through a link inside the root and keeps the link", async () => {
    const { at, hands } = createRoot();
    writeFileSync(at("real.txt"), "old");
    symlinkSync("real.txt", at("link.txt"));
    expect((await hands.call("write", { path: "link.txt", content: "new" })).text).toContain("Replaced real.txt");
    expect(readFileSync(at("real.txt"), "utf8")).toBe("new");
    expect(readFileSync(at("link.txt"), "utf8")).toBe("new");
  });

  test("write breaks a hard link and leaves the other name's content alone", async () => {
    const { at, hands } = createRoot();
    writeFileSync(at("store"), "shared");
    linkSync(at("store"), at("mine"));
    await hands.call("write", { path: "mine", content: "own" });
    expect(readFileSync(at("store"), "utf8")).toBe("shared");
  });
});
