import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLineMatcher } from "../../src/builtin/line-matcher.ts";
import { readPattern } from "../../src/builtin/search-pattern.ts";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createHands, nextCall, temporaryFolder, type Hands } from "./support.ts";

function treeWith(
  files: Readonly<Record<string, string | Uint8Array>>,
  clock?: Clock,
): { readonly root: string; readonly hands: Hands } {
  const root = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), content);
  }
  return { root, hands: createHands(root, { clock }) };
}

/** Rows of all pages, got by following the hints. */
async function rowsToEnd(hands: Hands, name: string, first: JsonObject): Promise<readonly string[]> {
  const rows: string[] = [];
  for (let input: JsonObject | undefined = first; input;) {
    const { text, isError } = await hands.call(name, input);
    expect(isError, text).toBe(false);
    rows.push(...text.replace(/\n\n\[[^\n]*\]$/, "").split("\n"));
    input = nextCall(text);
  }
  return rows;
}

describe("grep", () => {
  const FILES = {
    "b.txt": "TODO two\r\nnothing\n",
    "a/z.ts": "x\n// TODO one\n",
    "a.txt": "todo small\n",
    bin: Buffer.from("TODO\0"),
  };

  test("grep shows path, line and text in the order of paths", async () => {
    const { hands } = treeWith(FILES);
    expect((await hands.call("grep", { pattern: "TODO" })).text).toBe(
      "a/z.ts:2: // TODO one\nb.txt:1: TODO two\n\n[Skipped: 1 binary file.]",
    );
    expect((await hands.call("grep", { pattern: "todo", ignore_case: true, glob: "*.txt" })).text).toBe(
      "a.txt:1: todo small\nb.txt:1: TODO two",
    );
    expect((await hands.call("grep", { pattern: "(?i)todo\\s+\\w+", glob: "*.txt" })).text).toBe(
      "a.txt:1: todo small\nb.txt:1: TODO two",
    );
    expect((await hands.call("grep", { pattern: "TODO", path: "a" })).text).toBe("a/z.ts:2: // TODO one");
    expect((await hands.call("grep", { pattern: "TODO", path: "b.txt" })).text).toBe("b.txt:1: TODO two");
  });

  test("grep without a match repeats pattern and place and counts the files", async () => {
    const { hands } = treeWith({ "a/x": "1", "a/y": "2", z: "3" });
    expect(await hands.call("grep", { pattern: "nowhere", path: "a" })).toMatchObject({
      isError: false,
      text: 'No matches for "nowhere" in a (2 files searched).',
    });
  });

  test("SRC-01 a hidden folder is searched when it is named, and counted when it is not", async () => {
    const { hands } = treeWith({
      ".conf/a": "needle\n",
      ".git/b": "needle\n",
      "node_modules/c": "needle\n",
      d: "hay\n",
    });
    expect((await hands.call("grep", { pattern: "needle", path: ".conf" })).text).toBe(".conf/a:1: needle");
    expect((await hands.call("grep", { pattern: "needle", path: "." })).text).toBe(
      'No matches for "needle" in . (1 file searched).\n[Skipped: 1 hidden entry, 2 .git or node_modules folders. Name one as path to look into it.]',
    );
    expect((await hands.call("grep", { pattern: "needle", path: "node_modules" })).text).toBe(
      "node_modules/c:1: needle",
    );
    expect((await hands.call("grep", { pattern: "needle", glob: ".conf/*" })).text).toContain(".conf/a:1: needle");
  });

  test("grep gives every match once when the hints are followed", async () => {
    const { hands } = treeWith({ a: "hit\n".repeat(450), b: `${"x".repeat(3000)} hit\n`.repeat(150) });
    const rows = await rowsToEnd(hands, "grep", { pattern: "hit" });
    expect(rows).toHaveLength(600);
    expect(new Set(rows.map((row) => /^\w:\d+/.exec(row)?.[0])).size).toBe(600);
    expect(rows.at(-1)).toMatch(/^b:150: \[2901 characters\]… x+ hit$/);
    expect((await hands.call("grep", { pattern: "hit", offset: 600 })).text).toContain("there are 600 matches");
  });

  test("grep shows lines around matches once each", async () => {
    const { hands } = treeWith({ f: "1\n2 hit\n3\n4 hit\n5\n6\n7\n8\n9 hit\n" });
    expect((await hands.call("grep", { pattern: "hit", context: 1 })).text).toBe(
      "f-1- 1\nf:2: 2 hit\nf-3- 3\nf:4: 4 hit\nf-5- 5\n--\nf-8- 8\nf:9: 9 hit\nf-10- ",
    );
  });

  test("grep shows the fault of an invalid pattern and the way out", async () => {
    const { hands } = treeWith({ f: "a(b\n" });
    const { isError, text } = await hands.call("grep", { pattern: "a(b" });
    expect(isError).toBe(true);
    expect(text).toContain('"a(b"');
    expect(text).toContain("Unterminated group");
    expect((await hands.call("grep", { pattern: "a(b", literal: true })).text).toBe("f:1: a(b");
  });

  test("grep is ended by its deadline on a pattern that would never end, and the process goes on", async () => {
    // Deadlines fall due at once: no pattern can be so fast that the thread answers before it has started.
    const impatient: Clock = { now: () => 0, after: (_, run) => systemClock.after(0, run) };
    const { hands } = treeWith({ f: `${"a".repeat(60)}!\n` }, impatient);
    const { isError, text } = await hands.call("grep", { pattern: "^(a+)+$" });
    expect(isError).toBe(true);
    expect(text).toContain("the pattern takes too long on f");
  });

  test("grep is ended by an abort on a pattern that would never end", async () => {
    const controller = new AbortController();
    // The deadline is armed once the thread has its work; that is when the abort comes.
    const aborting: Clock = {
      now: () => 0,
      after: () => {
        setImmediate(() => controller.abort());
        return () => undefined;
      },
    };
    const { hands } = treeWith({ f: `${"a".repeat(60)}!\n` }, aborting);
    const call = hands.call("grep", { pattern: "^(a+)+$" }, { signal: controller.signal });
    expect((await call).isError).toBe(true);
  });

  test("grep follows no link, reads no huge file, and says so", async () => {
    const { root, hands } = treeWith({ real: "hit\n", huge: "hit\n" });
    symlinkSync("real", path.join(root, "link"));
    truncateSync(path.join(root, "huge"), 17 * 1024 * 1024);
    expect((await hands.call("grep", { pattern: "hit" })).text).toBe(
      "real:1: hit\n\n[Skipped: 1 symbolic link, 1 file over 16777216 bytes.]",
    );
  });
});

describe("createLineMatcher", () => {
  test("createLineMatcher answers the same in the thread and here", async () => {
    const signal = new AbortController().signal;
    const here = createLineMatcher({ source: "a|b", flags: "u", isLinear: true }, { clock: systemClock, signal });
    const there = createLineMatcher({ source: "a|b", flags: "u", isLinear: false }, { clock: systemClock, signal });
    const texts = fc.string({ unit: fc.constantFrom("a", "b", "c", "\n", "\r", "é"), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), async (text, most) => {
        expect(await there.match(text, most)).toEqual(await here.match(text, most));
      }),
    );
    there.close();
  });

  test.each(["(a+)+$", "a*b", "(a|a)(a|a)", "a{2,}", "a?b"])("readPattern sends %s to the thread", (pattern) => {
    expect(readPattern({ pattern, literal: false, ignoreCase: false }).isLinear).toBe(false);
  });

  test.each(["TODO", "foo\\(bar\\)", "^import", "[abc]|d$", "\\w\\d"])("readPattern keeps %s here", (pattern) => {
    expect(readPattern({ pattern, literal: false, ignoreCase: false }).isLinear).toBe(true);
  });

  test("readPattern takes literal text literally, and patterns that full Unicode would refuse", () => {
    const pattern = readPattern({ pattern: "a.*(b)[c]$", literal: true, ignoreCase: false });
    expect(new RegExp(pattern.source, pattern.flags).test("xa.*(b)[c]$")).toBe(true);
    expect(readPattern({ pattern: "a\\-b", literal: false, ignoreCase: true }).flags).toBe("i");
    expect(readPattern({ pattern: "\\p{L}", literal: false, ignoreCase: false }).flags).toBe("u");
  });
});

describe("ls", () => {
  test("ls lists folders, sizes, links and hidden entries in the same order everywhere", async () => {
    const { root, hands } = treeWith({ "b.txt": "12345", "a/x": "", Z: "", ".env": "1", ä: "" });
    symlinkSync("b.txt", path.join(root, "c"));
    symlinkSync("gone", path.join(root, "d"));
    symlinkSync("/etc/passwd", path.join(root, "e"));
    expect((await hands.call("ls", {})).text.split("\n")).toEqual([
      ".env (1 bytes)",
      "Z (0 bytes)",
      "a/",
      "b.txt (5 bytes)",
      "c -> b.txt",
      "d -> gone [broken, or outside the root]",
      "e -> [broken, or outside the root]",
      "ä (0 bytes)",
    ]);
    expect((await hands.call("ls", { path: "b.txt" })).text).toBe("b.txt (5 bytes)");
    expect((await hands.call("ls", { path: "nope" })).text).toContain("it does not exist");
  });

  test("ls gives every entry once when the hints are followed", async () => {
    const { hands } = treeWith(Object.fromEntries(Array.from({ length: 1201 }, (_, index) => [`f${index}`, ""])));
    const rows = await rowsToEnd(hands, "ls", {});
    expect(new Set(rows).size).toBe(1201);
    expect(await rowsToEnd(hands, "ls", { limit: 700, offset: 1000 })).toHaveLength(201);
    expect((await hands.call("ls", { offset: 1201 })).text).toContain("there are 1201 entries");
  });

  test("ls says that a folder is empty", async () => {
    const { root, hands } = treeWith({});
    mkdirSync(path.join(root, "void"));
    expect((await hands.call("ls", { path: "void" })).text).toBe("[void is empty.]");
  });
});

describe("find", () => {
  test("find gives paths in order, folders with a slash, and counts what it left out", async () => {
    const { hands } = treeWith({
      "src/a.ts": "",
      "src/deep/b.ts": "",
      "src.ts": "",
      ".x/c.ts": "",
      "node_modules/d.ts": "",
    });
    expect((await hands.call("find", { pattern: "*.ts" })).text).toBe(
      "src.ts\nsrc/a.ts\nsrc/deep/b.ts\n\n[Skipped: 1 hidden entry, 1 .git or node_modules folder. Name one as path to look into it.]",
    );
    expect((await hands.call("find", { pattern: "src/**" })).text).toContain(
      "src/\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.ts",
    );
    expect((await hands.call("find", { pattern: "*.ts", path: "src" })).text).toBe("src/a.ts\nsrc/deep/b.ts");
    expect((await hands.call("find", { pattern: ".x/*" })).text).toContain(".x/c.ts");
  });

  test("find without a match repeats pattern and place", async () => {
    const { hands } = treeWith({ a: "" });
    expect((await hands.call("find", { pattern: "*.py" })).text).toBe(
      'Nothing matches "*.py" in . (1 entry looked at).',
    );
    expect((await hands.call("find", { pattern: "*", path: "a" })).text).toContain("it is not a folder");
  });

  test("find gives every path once when the hints are followed", async () => {
    const { hands } = treeWith(
      Object.fromEntries(Array.from({ length: 1100 }, (_, index) => [`d${index % 7}/${"n".repeat(60)}${index}`, ""])),
    );
    expect(new Set(await rowsToEnd(hands, "find", { pattern: "n*" })).size).toBe(1100);
    expect((await hands.call("find", { pattern: "n*", offset: 1100 })).text).toContain("there are 1100 paths");
  });

  test("find shows a folder that it cannot look into", () => {
    const { root } = treeWith({ "shut/a": "" });
    chmodSync(root, 0o755);
    chmodSync(path.join(root, "shut"), 0o000);
    expect(findAsOrdinaryUser(root)).toContain("shut/ [cannot be looked into: permission is denied]");
  });
});

/** Calls find in a process of its own, which gives up root's right to read everything once it has loaded the tools. */
function findAsOrdinaryUser(root: string): string {
  const door = pathToFileURL(path.resolve("dist/builtin/index.js")).href;
  const code = `
    const { builtinTools } = await import(${JSON.stringify(door)});
    const tool = builtinTools({ root: ${JSON.stringify(root)} }).list().tools.find(({ descriptor }) => descriptor.name === "find");
    if (process.geteuid() === 0) process.seteuid(65534);
    const result = await tool.execute({ pattern: "a" }, { signal: new AbortController().signal, progress() {} });
    process.stdout.write(JSON.stringify(result));`;
  return execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
}
