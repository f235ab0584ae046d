import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, runCli } from "./run-cli.ts";

interface ResultDocument {
  readonly v: 1;
  readonly outcome: string;
  readonly name: string;
  readonly content: readonly { readonly text: string }[];
  readonly details?: { readonly approval?: string; readonly repairs?: readonly string[] };
}

const parse = (stdout: string): ResultDocument => JSON.parse(stdout) as ResultDocument;

describe("toolmap call", () => {
  test("toolmap call prints what the tool gave, and nothing else on stdout", async () => {
    const cwd = makeFolder({ "a.md": "one TODO\ntwo\n" });
    const { code, stdout, stderr } = await runCli(["call", "grep", "pattern=TODO"], { cwd });
    expect(stdout).toContain("a.md:1: one TODO");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("toolmap call reads text as the type that the schema wants", async () => {
    const cwd = makeFolder({ "a.md": "one\ntwo\nthree\n" });
    const { code, stdout } = await runCli(["call", "read", "path=a.md", "offset=2", "limit:=1"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("two");
    expect(stdout).not.toContain("one");
  });

  test("toolmap call takes JSON as an argument and from stdin", async () => {
    const cwd = makeFolder({ "a.md": "hello\n" });
    const input = JSON.stringify({ path: "a.md" });
    const [argument, piped] = await Promise.all([
      runCli(["call", "read", input], { cwd }),
      runCli(["call", "read", "-"], { cwd, stdin: { text: input } }),
    ]);
    expect(argument.stdout).toContain("hello");
    expect(piped).toEqual(argument);
  });

  test("toolmap call does what a program asks without asking back", async () => {
    const cwd = makeFolder();
    const { code } = await runCli(["call", "write", "path=a.md", "content=hello"], { cwd, stdin: "open" });
    expect(code).toBe(0);
    expect(readFileSync(path.join(cwd, "a.md"), "utf8")).toBe("hello");
  });

  test("toolmap call --as model shows what a model would get: no approver, no run", async () => {
    const cwd = makeFolder();
    const { code, stdout } = await runCli(["call", "write", "path=a.md", "content=x", "--as", "model", "--json"], {
      cwd,
    });
    expect(code).toBe(3);
    expect(parse(stdout)).toMatchObject({ v: 1, outcome: "rejected", details: { approval: "no-approver" } });
    expect(existsSync(path.join(cwd, "a.md"))).toBe(false);
  });

  test("DSP-07 an unknown name gets the nearest names and exit code 4", async () => {
    const { code, stdout, stderr } = await runCli(["call", "raed", "path=x"], { cwd: makeFolder() });
    expect(code).toBe(4);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/raed.+did you mean.+read/);
  });

  test("DSP-07 a name in the wrong case is read as the tool's, and that is told", async () => {
    const cwd = makeFolder({ "a.md": "hello\n" });
    const { code, stdout } = await runCli(["call", "READ", "path=a.md", "--json"], { cwd });
    expect(code).toBe(0);
    expect(parse(stdout)).toMatchObject({ name: "read", details: { repairs: [expect.stringContaining("READ")] } });
  });

  test("DSP-07 a name that no tool can have ends as a bounded answer", async () => {
    const { code, stdout } = await runCli(["call", "\u001b[2J".repeat(5000), "--json"], { cwd: makeFolder() });
    expect(code).toBe(4);
    expect(parse(stdout).outcome).toBe("unknown-tool");
    expect(stdout.length).toBeLessThan(2000);
  });

  test("ARG-11 wrong input lists each path with what was expected and what came", async () => {
    const args = ["call", "read", "path:=7", "limit=many", "pth=a.md"];
    const [first, second] = await Promise.all([1, 2].map(async () => await runCli(args, { cwd: makeFolder() })));
    expect(first?.code).toBe(5);
    for (const word of ["path", "limit", "pth", "string", "integer", "7", "many"])
      expect(first?.stderr).toContain(word);
    expect(first?.stderr).toBe(second?.stderr);
  });

  test.each([
    ["cut-off JSON", ["call", "read", '{"path": "a'], ""],
    ["cut-off JSON on stdin", ["call", "read", "-"], '{"path"'],
    ["no JSON after :=", ["call", "read", "limit:=many"], ""],
    ["a word that is no pair", ["call", "read", "a.md"], ""],
  ])("toolmap call takes %s as a slip on the command line", async (_, args, text) => {
    const { code, stdout, stderr } = await runCli(args, { cwd: makeFolder(), stdin: { text } });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^toolmap: /);
  });

  test("toolmap call says what failed in a tool on stderr and exits with 1", async () => {
    const { code, stdout, stderr } = await runCli(["call", "read", "path=none.md"], { cwd: makeFolder() });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('"none.md"');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("toolmap call ends with 124 when its time is over", async () => {
    const { code, stdout } = await runCli(["call", "exec", "command=sleep 60", "--timeout", "300ms", "--json"], {
      cwd: makeFolder(),
    });
    expect(parse(stdout).outcome).toBe("timed-out");
    expect(code).toBe(124);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("toolmap call ends with a result and 130 on %s", async (signal) => {
    const cwd = makeFolder();
    const started = path.join(cwd, "started");
    const { code, stdout } = await runCli(["call", "exec", "command=touch started; sleep 60", "--json"], {
      cwd,
      during: async (child) => {
        while (!existsSync(started)) await new Promise((resolve) => setTimeout(resolve, 10));
        child.kill(signal);
      },
    });
    expect(parse(stdout).outcome).toBe("cancelled");
    expect(code).toBe(130);
  });

  test("toolmap call is quiet when nobody reads its output", async () => {
    const cwd = makeFolder({ "big.txt": "line\n".repeat(1500) });
    const { code, stderr } = await runCli(["call", "read", "path=big.txt"], {
      cwd,
      during: (child) => void child.stdout?.destroy(),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("toolmap call works in the folder of -C", async () => {
    const folder = makeFolder({ "a.md": "hello\n" });
    const there = await runCli(["-C", folder, "call", "read", "path=a.md"]);
    expect(there.stdout).toContain("hello");
    const nowhere = await runCli(["-C", path.join(folder, "none"), "tools", "--json"]);
    expect(nowhere.code).toBe(2);
    expect(JSON.parse(nowhere.stdout)).toMatchObject({ error: { code: "usage" } });
  });
});
