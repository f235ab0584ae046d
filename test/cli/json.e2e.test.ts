import { describe, expect, test } from "vitest";
import { makeFolder, runCli } from "./run-cli.ts";

const SCRIPT = JSON.stringify({ turns: [{ calls: [{ name: "read", input: { path: "a.md" } }] }, { text: "done" }] });
const WRITES = JSON.stringify({
  turns: [{ calls: [{ name: "write", input: { path: "b.md", content: "x" } }] }, { text: "done" }],
});

const OK = { v: 1 };
const USAGE = {
  v: 1,
  error: { code: "usage", message: expect.any(String) as string, fix: expect.any(String) as string },
};
const UNKNOWN = { v: 1, error: { code: "unknown-tool", message: expect.stringContaining("nope") as string } };
const NOT_YET = { v: 1, error: { code: "not-yet-configured" } };

/** Command line, exit code, what the document has. */
const TABLE: readonly (readonly [readonly string[], number, object])[] = [
  [
    ["tools"],
    0,
    { ...OK, visible: expect.any(Array) as unknown[], hidden: [], shadowed: [], tokens: { estimated: true } },
  ],
  [["tools", "read"], 0, { ...OK, name: "read", origin: "core", visible: true, active: true, diagnostics: [] }],
  [["tools", "nope"], 4, UNKNOWN],
  [["tools", "--nope"], 2, USAGE],
  [["tools", "--agent", "x"], 2, NOT_YET],
  [["explain", "read", "path=a.md"], 0, { ...OK, name: "read", verdict: "allow", visible: true, active: true }],
  [["why", "write"], 0, { ...OK, name: "write", verdict: "ask", fix: expect.any(String) as string }],
  [["explain", "write", "--as", "person"], 0, { ...OK, name: "write", verdict: "allow" }],
  [["explain", "nope"], 4, UNKNOWN],
  [["explain"], 2, USAGE],
  [["explain", "read", "[1]"], 2, USAGE],
  [["call", "read", "path=a.md"], 0, { ...OK, name: "read", outcome: "ok", isError: false }],
  [["call", "read"], 5, { ...OK, outcome: "invalid-input" }],
  [["call", "nope"], 4, { ...OK, outcome: "unknown-tool" }],
  [["call", "write", "path=x", "content=y", "--as", "model"], 3, { ...OK, outcome: "rejected" }],
  [["call"], 2, USAGE],
  [["call", "read", "{"], 2, USAGE],
  [["run", "--script", "read.json"], 0, { ...OK, text: "done", stop: "end", sessionId: expect.any(String) as string }],
  [["run", "--script", "write.json"], 3, { ...OK, results: [{ outcome: "rejected" }] }],
  [["run"], 2, USAGE],
  [["run", "--script", "none.json"], 2, { v: 1, error: { code: "bad-script" } }],
  [["run", "--script", "a.md"], 2, { v: 1, error: { code: "bad-script", source: "a.md" } }],
  [["demo", "extra"], 2, USAGE],
  [["demo"], 0, { ...OK, stop: "end", surprises: [] }],
  [[], 2, USAGE],
  [["nope"], 2, USAGE],
  [["--version"], 0, { v: 1, version: expect.any(String) as string }],
  [["call", "--help"], 0, { v: 1, help: expect.any(String) as string }],
];

describe("--json", () => {
  test("--json tells in one document that it was stopped before anything ran", async () => {
    const { code, stdout } = await runCli(["call", "read", "-", "--json"], {
      stdin: "open",
      during: async (child) => {
        // More than a pipe holds: once it is written, somebody reads it.
        await new Promise((resolve) => child.stdin?.write(" ".repeat(1_000_000), resolve));
        child.kill("SIGINT");
      },
    });
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, error: { code: "cancelled" } });
    expect(code).toBe(130);
  });

  test.each(TABLE)("--json prints exactly one document for %j", async (args, exit, members) => {
    const cwd = makeFolder({ "a.md": "hello\n", "read.json": SCRIPT, "write.json": WRITES });
    const lines = [
      ["--json", ...args],
      [...args, "--json"],
    ];
    for (const { code, stdout, stderr } of await Promise.all(lines.map(async (argv) => await runCli(argv, { cwd })))) {
      expect(stdout).toMatch(/^\{"v":1,.*\}\n$/);
      expect(JSON.parse(stdout)).toMatchObject(members);
      expect(code).toBe(exit);
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});
