import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createWorkspace, isInside, refusePath, resolvePath } from "../../src/builtin/workspace.ts";
import { createHands, temporaryFolder } from "./support.ts";

/** ws beside outside and ws-evil, with links of every kind. */
function createTree(): { readonly root: string; readonly outside: string } {
  const base = temporaryFolder();
  const [root, outside, evil] = ["ws", "outside", "ws-evil"].map((name) => path.join(base, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [root, outside, evil]) mkdirSync(folder);
  mkdirSync(path.join(root, "sub"));
  writeFileSync(path.join(root, "sub/in.txt"), "inside\n");
  writeFileSync(path.join(outside, "secret.txt"), "secret\n");
  const links = {
    out: outside,
    chain: "out",
    loop: "loop2",
    loop2: "loop",
    dangling: "nowhere",
    inner: "sub",
    away: "../outside/none",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  symlinkSync(path.join(outside, "secret.txt"), path.join(root, "leaf.txt"));
  symlinkSync("sub/in.txt", path.join(root, "alias.txt"));
  return { root, outside };
}

const FILE_CALLS = [
  ["read", {}],
  ["write", { content: "x" }],
  ["edit", { edits: [{ old: "secret", new: "x" }] }],
  ["ls", {}],
  ["grep", { pattern: "secret" }],
  ["find", { pattern: "*" }],
] as const;

describe("resolvePath", () => {
  const ESCAPES = [
    "out/secret.txt",
    "chain/secret.txt",
    "leaf.txt",
    "../outside/secret.txt",
    "../ws-evil/f",
    "away",
    "..",
    "/etc/passwd",
  ];
  test.each(ESCAPES)("POL-07 every file tool refuses %s and says so without an outside path", async (given) => {
    const { root, outside } = createTree();
    const hands = createHands(root);
    for (const [name, rest] of FILE_CALLS) {
      const { text, isError } = await hands.call(name, { path: given, ...rest });
      expect(isError).toBe(true);
      expect(text).toContain("outside the root");
      expect(text).not.toContain(outside);
    }
  });

  test("POL-07 a command cannot be started outside the root", async () => {
    const { root } = createTree();
    expect(await createHands(root).call("exec", { command: "pwd", cwd: "chain" })).toMatchObject({ isError: true });
  });

  test("POL-09 a new file deep inside is created, one through a link outside, dangling or circular is not", async () => {
    const { root } = createTree();
    const hands = createHands(root);
    const write = (given: string) => hands.call("write", { path: given, content: "new" });
    expect(await write("new/deep/f")).toMatchObject({ isError: false, text: "Created new/deep/f (3 bytes)." });
    for (const given of ["out/new", "dangling", "dangling/f", "loop", "loop/f", path.join(root, "../ws-evil/f")]) {
      expect(await write(given), given).toMatchObject({ isError: true });
    }
  });

  test("resolvePath follows links that stay inside", () => {
    const { root } = createTree();
    const workspace = createWorkspace(root, "linux");
    const real = path.join(root, "sub/in.txt");
    for (const given of ["inner/in.txt", "alias.txt", "./sub//in.txt", "sub/../sub/in.txt", real]) {
      expect(resolvePath(workspace, { verb: "read", path: given })).toEqual({
        real,
        shown: "sub/in.txt",
        exists: true,
      });
    }
  });

  test("resolvePath takes a root that is itself a link", () => {
    const { root } = createTree();
    symlinkSync(root, path.join(root, "../alias"));
    const workspace = createWorkspace(path.join(root, "../alias"), "linux");
    expect(workspace.root).toBe(root);
    const given = path.join(root, "../alias/sub/in.txt");
    expect(resolvePath(workspace, { verb: "read", path: given }).shown).toBe("sub/in.txt");
  });

  test("resolvePath never leads outside, whatever the path", () => {
    const { root } = createTree();
    const workspace = createWorkspace(root, "linux");
    const part = fc.constantFrom(
      "..",
      ".",
      "sub",
      "out",
      "chain",
      "inner",
      "loop",
      "away",
      "dangling",
      "secret.txt",
      "new",
      "/",
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        let place;
        try {
          place = resolvePath(workspace, { verb: "read", path: parts.join("/") });
        } catch (error) {
          expect((error as Error).name).toBe("ToolFailure");
          return;
        }
        expect(isInside(root, place.real, "linux")).toBe(true);
      }),
    );
  });

  test.each(["", "a\0b", "a".repeat(4097), "\ud800"])("refusePath refuses %j", (given) => {
    expect(refusePath(given, "linux")).toBeDefined();
  });
});

describe("isInside", () => {
  test("isInside never compares by prefix", () => {
    expect(isInside("/ws", "/ws-evil/f", "linux")).toBe(false);
    expect(isInside("/ws", "/ws/..x", "linux")).toBe(true);
    expect(isInside("/ws", "/", "linux")).toBe(false);
    expect(isInside("C:\\ws", "c:\\WS\\a", "win32")).toBe(true);
    expect(isInside("C:\\ws", "D:\\ws\\a", "win32")).toBe(false);
    expect(isInside("C:\\ws", "C:\\ws-evil", "win32")).toBe(false);
  });
});

describe("refuseWin32Path", () => {
  const REFUSED = [
    "\\\\server\\share\\f",
    "//server/share/f",
    "\\\\?\\C:\\ws\\f",
    "\\\\.\\pipe\\x",
    "C:f",
    "f.txt:stream",
    "a/f::$DATA",
    "NUL",
    "sub\\con.txt",
    "com1",
    "LPT¹.log",
    "CONIN$",
    "f.",
    "dir \\f",
    "nul .txt",
  ];
  test.each(REFUSED)("refuseWin32Path refuses %s on Windows only", (given) => {
    expect(refusePath(given, "win32")).toBeDefined();
    expect(refusePath(given, "linux")).toBeUndefined();
  });

  test.each(["a\\b.txt", "C:\\ws\\f.txt", "..\\x", "./a/b", "console.log", "common", "lpt.txt", ".env"])(
    "refuseWin32Path lets %s pass",
    (given) => {
      expect(refusePath(given, "win32")).toBeUndefined();
    },
  );
});

test("createWorkspace throws bad-option for a root that is no folder", () => {
  const { root } = createTree();
  expect(() => createWorkspace(path.join(root, "none"), "linux")).toThrow(
    expect.objectContaining({ code: "bad-option" }),
  );
  expect(() => createWorkspace(path.join(root, "alias.txt"), "linux")).toThrow(
    expect.objectContaining({ code: "bad-option" }),
  );
});
