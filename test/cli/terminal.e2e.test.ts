import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { makeFolder, runCliOnTerminal } from "./run-cli.ts";

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
const WRITES = JSON.stringify({
  turns: [{ calls: [{ name: "write", input: { path: "b.md", content: "x" } }] }, { text: "done" }],
});

/** Types a line once the question is on the terminal. */
async function answer(cwd: string, line: string): Promise<{ readonly code: number | null; readonly stdout: string }> {
  return await runCliOnTerminal(["run", "--script", "s.json"], {
    cwd,
    stdin: "open",
    during: (child) => {
      let seen = "";
      child.stdout?.on("data", (text: string) => {
        if (seen.includes("[y/N]")) return;
        seen += text;
        if (seen.includes("[y/N]")) child.stdin?.end(line);
      });
    },
  });
}

describe.skipIf(!hasScript)(
  hasScript ? "toolmap on a terminal" : "toolmap on a terminal (needs the program script)",
  () => {
    test("toolmap run asks a person, and a yes runs the call once", async () => {
      const cwd = makeFolder({ "s.json": WRITES });
      const { code, stdout } = await answer(cwd, "y\n");
      expect(stdout).toMatch(/approve.+write.+core[\s\S]+b\.md/);
      expect(code).toBe(0);
      expect(existsSync(path.join(cwd, "b.md"))).toBe(true);
    });

    test.each([
      ["a no", "n\n", 3],
      ["an empty line", "\n", 3],
      ["the end of the input", "\u0004", 3],
      ["Ctrl-C", "\u0003", 130],
    ])("toolmap run takes %s as no", async (_, line, exit) => {
      const cwd = makeFolder({ "s.json": WRITES });
      const { code } = await answer(cwd, line);
      expect(code).toBe(exit);
      expect(existsSync(path.join(cwd, "b.md"))).toBe(false);
    });

    test("toolmap run --no-input asks nobody, terminal or not", async () => {
      const cwd = makeFolder({ "s.json": WRITES });
      const { code, stdout } = await runCliOnTerminal(["run", "--script", "s.json", "--no-input"], {
        cwd,
        stdin: "open",
      });
      expect(stdout).not.toContain("[y/N]");
      expect(code).toBe(3);
    });

    test("APR-04 with CI set nobody is asked, terminal or not", async () => {
      const cwd = makeFolder({ "s.json": WRITES });
      const env = { CI: "true" };
      const { code, stdout } = await runCliOnTerminal(["run", "--script", "s.json"], { cwd, stdin: "open", env });
      expect(stdout).not.toContain("[y/N]");
      expect(code).toBe(3);
    });

    test("toolmap call lets a person do what a model would have to ask for", async () => {
      const cwd = makeFolder();
      const { code } = await runCliOnTerminal(["call", "write", "path=b.md", "content=x"], { cwd, stdin: "open" });
      expect(code).toBe(0);
      expect(existsSync(path.join(cwd, "b.md"))).toBe(true);
    });

    test("toolmap call shows control characters of a file instead of obeying them", async () => {
      const cwd = makeFolder({ "evil.txt": "a\u001b]0;owned\u0007b\u009b2Jc\n" });
      const { stdout } = await runCliOnTerminal(["call", "read", "path=evil.txt"], { cwd, stdin: "open" });
      expect(stdout).not.toContain("\u001b]0;");
      expect(stdout).not.toContain("\u009b");
      expect(stdout).toContain("owned");
    });

    test("toolmap tools is coloured on a terminal and fits into it", async () => {
      const { stdout } = await runCliOnTerminal(["tools"], { cwd: makeFolder(), stdin: "open" });
      expect(stdout).toContain("\u001b[");
      const plain = await runCliOnTerminal(["tools"], { cwd: makeFolder(), stdin: "open", env: { NO_COLOR: "1" } });
      expect(plain.stdout).not.toContain("\u001b[");
    });
  },
);
