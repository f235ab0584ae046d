import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliOptions, makeFolder, runCli } from "./run-cli.ts";

const script = (...turns: readonly object[]): string => JSON.stringify({ turns });
const read = { name: "read", input: { path: "a.md" } };
const write = { name: "write", input: { path: "b.md", content: "x" } };

interface RunDocument {
  readonly results: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly content: readonly { readonly text: string }[];
    readonly details?: { readonly approval?: string };
  }[];
}

describe("toolmap run", () => {
  test("toolmap run prints the model's text on stdout and the calls on stderr", async () => {
    const cwd = makeFolder({
      "a.md": "hello\n",
      "s.json": script({ text: "Let me see. ", calls: [read] }, { text: "It says hello." }),
    });
    const { code, stdout, stderr } = await runCli(["run", "What does a.md say?", "--script", "s.json"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Let me see. \nIt says hello.\n" });
    expect(stderr).toMatch(/ok\s+read/);
    expect(stderr).toContain("1 call; the model was done");
  });

  test.each<[string, CliOptions]>([
    ["stdin a pipe that never closes", { stdin: "open" }],
    ["stdin closed", { stdin: "closed" }],
    ["CI set", { stdin: "open", env: { CI: "1" } }],
  ])("APR-04 with %s an ask is rejected at once, with the rule that would allow it", async (_, options) => {
    const cwd = makeFolder({ "s.json": script({ calls: [write] }, { text: "done" }) });
    const { code, stdout } = await runCli(["run", "--script", "s.json", "--json"], { cwd, ...options });
    const [result] = (JSON.parse(stdout) as RunDocument).results;
    expect(result).toMatchObject({ outcome: "rejected", details: { approval: "no-approver" } });
    expect(result?.content[0]?.text).toMatch(/needs an approval and nobody is there.+approve/s);
    expect(code).toBe(3);
    expect(existsSync(path.join(cwd, "b.md"))).toBe(false);
  });

  test("APR-05 without a terminal the allowed call runs, the one that asks is refused, and the exit status tells", async () => {
    const cwd = makeFolder({ "a.md": "hello\n", "s.json": script({ calls: [read, write] }, { text: "done" }) });
    const { code, stdout, stderr } = await runCli(["run", "--script", "s.json"], { cwd, stdin: "open" });
    expect(code).toBe(3);
    expect(stdout).toBe("done\n");
    expect(stderr).toMatch(/ok\s+read/);
    expect(stderr).toMatch(/rejected\s+write/);
    expect(stderr).not.toContain("/dev/tty");
    expect(existsSync(path.join(cwd, "b.md"))).toBe(false);
  });

  test("toolmap run says before it starts which tools can only be rejected", async () => {
    const cwd = makeFolder({ "s.json": script({ text: "done" }) });
    const { stderr } = await runCli(["run", "--script", "s.json"], { cwd });
    expect(stderr).toMatch(/write/);
  });

  test("toolmap run exits with 1 when the script ends before the conversation", async () => {
    const cwd = makeFolder({ "a.md": "hello\n", "s.json": script({ calls: [read] }) });
    const { code, stderr } = await runCli(["run", "--script", "s.json", "-q"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toContain("one more");
  });

  test("toolmap run says when a script has turns that were never reached", async () => {
    const cwd = makeFolder({ "s.json": script({ text: "done" }, { text: "never said" }) });
    const { code, stdout, stderr } = await runCli(["run", "--script", "s.json"], { cwd });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toContain("2 turns");
  });
});
