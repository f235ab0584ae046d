import { mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { RUN_MARKER } from "../../src/builtin/process-group.ts";
import { findShell } from "../../src/builtin/find-shell.ts";
import { createHands, temporaryFolder, type Hands } from "./support.ts";

const hands = (env?: Readonly<Record<string, string>>): Hands => createHands(temporaryFolder(), env ? { env } : {});

/** What this thread holds; others of the same process do not count. */
function heldBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Whether a process is there and not merely waiting to be collected. */
async function isAlive(pid: string): Promise<boolean> {
  const { text } = await hands().call("exec", {
    command: `test -d /proc/${pid} && ! grep -q '^State:[[:space:]]*Z' /proc/${pid}/status`,
  });
  return text.includes("exit code 0");
}

describe("exec", () => {
  test("exec shows both streams and the exit code", async () => {
    expect(await hands().call("exec", { command: "echo out; echo err >&2" })).toMatchObject({
      isError: false,
      text: "out\nerr\n[exit code 0]",
    });
    expect(await hands().call("exec", { command: "echo no; exit 7" })).toMatchObject({
      isError: true,
      text: "no\n[exit code 7]",
    });
  });

  test("EXE-13 a command without output ends at once with its exit code", async () => {
    expect((await hands().call("exec", { command: "true" })).text).toBe("(no output)\n[exit code 0]");
    expect(await hands().call("exec", { command: "false" })).toMatchObject({
      isError: true,
      text: "(no output)\n[exit code 1]",
    });
    expect((await hands().call("exec", { command: "exit 3" })).text).toBe("(no output)\n[exit code 3]");
  });

  test("EXE-04 a command that reads its input finds the end at once", async () => {
    expect((await hands().call("exec", { command: "cat; read x; grep foo; echo done" })).text).toBe(
      "done\n[exit code 0]",
    );
  });

  test("EXE-01 a background child that holds the output does not hold the call, and is named", async () => {
    const { text } = await hands().call("exec", { command: "sleep 600 & echo hi $!", timeout_ms: 60_000 });
    const pid = /^hi (\d+)\n\[exit code 0\]/.exec(text)?.[1] ?? "";
    expect(text).toContain(`[Still running in the background, its further output is not read: process ${pid}.`);
    expect(await isAlive(pid)).toBe(true);
  });

  test("EXE-01 a background child without the output is named too, and ends with the source", async () => {
    const other = hands();
    const { builtinTools } = await import("../../src/builtin/builtin-tools.ts");
    const source = builtinTools({ root: temporaryFolder() });
    const exec = source.list().tools.find(({ descriptor }) => descriptor.name === "exec");
    const result = (await exec?.execute(
      { command: "nohup sleep 600 >/dev/null 2>&1 & echo $!" } as never,
      {
        signal: new AbortController().signal,
        progress: () => undefined,
      } as never,
    )) as { content: readonly { text: string }[] };
    const pid = /^\d+/.exec(result.content[0]?.text ?? "")?.[0] ?? "";
    expect(result.content[0]?.text).toContain(`process ${pid}.`);
    await source.close?.();
    expect(
      (
        await other.call("exec", {
          command: `while test -d /proc/${pid} && ! grep -q '^State:.*Z' /proc/${pid}/status; do :; done`,
          timeout_ms: 10_000,
        })
      ).isError,
    ).toBe(false);
  });

  test("EXE-02 a timeout ends every descendant, those that ignore TERM or left the group too, and keeps the output", async () => {
    const command = `bash -c 'trap "" TERM; echo child $$; while :; do sleep 600; done' & setsid sleep 600 & echo left $!; wait`;
    const { text, isError } = await hands().call("exec", { command, timeout_ms: 500 });
    expect(isError).toBe(true);
    expect(text).toContain("[Not finished after 500 ms, and ended with all it had started.");
    const pids = [...text.matchAll(/^(?:child|left) (\d+)$/gm)].map(([, pid = ""]) => pid);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
    expect(text).not.toContain("Still running");
  });

  test("exec ends when its signal is aborted, and has reported its output as progress", async () => {
    const controller = new AbortController();
    const reported: string[] = [];
    const { text, isError } = await hands().call(
      "exec",
      { command: "echo begun; sleep 600" },
      {
        signal: controller.signal,
        onProgress: ({ content }) => {
          const [block] = content ?? [];
          if (block?.type === "text") reported.push(block.text);
          controller.abort();
        },
      },
    );
    expect(reported).toEqual(["begun"]);
    expect(isError).toBe(true);
    expect(text).toBe("begun\n[Cancelled, and ended with all it had started.]");
  });

  test("exec does not start when its signal is aborted already", async () => {
    const { isError } = await hands().call("exec", { command: "echo x" }, { signal: AbortSignal.abort() });
    expect(isError).toBe(true);
  });

  test("EXE-06 endless output is drained in bounded memory; head and tail are kept and the gap is counted", async () => {
    const before = heldBytes();
    const { text } = await hands().call("exec", {
      command: "echo first; yes 0123456789 | head -c 300000000; echo last",
    });
    expect(text).toMatch(/^first\n/);
    expect(text).toMatch(/last\n\[exit code 0\]$/);
    const omitted = Number(/\[… (\d+) bytes left out/.exec(text)?.[1]);
    expect(omitted).toBeGreaterThan(299_000_000);
    expect(Buffer.byteLength(text)).toBeLessThan(32 * 1024);
    expect(heldBytes() - before).toBeLessThan(150 * 1024 * 1024);
  });

  test("EXE-09 characters that come a byte at a time on both streams stay whole", async () => {
    const byte = (stream: string) =>
      String.raw`for b in '\xe2' '\x82' '\xac' '\xf0' '\x9f' '\x98' '\x80'; do printf "$b" ${stream}; sleep 0.01; done`;
    expect((await hands().call("exec", { command: `${byte("")}; echo; ${byte(">&2")}` })).text).toBe(
      "€😀\n€😀\n[exit code 0]",
    );
  });

  test("EXE-11 a command sees basic variables and no secret", async () => {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: "/h",
      LANG: "C",
      LC_ALL: "C",
      FOO_API_KEY: "s1",
      GH_TOKEN: "s2",
      BASH_ENV: "/x",
      ENV: "/y",
      NODE_OPTIONS: "z",
    };
    const { text } = await hands(env).call("exec", { command: "env" });
    const names = text.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    expect(names).toEqual(
      expect.arrayContaining(["PATH", "HOME", "LANG", "LC_ALL", "PAGER", "GIT_PAGER", "TERM", RUN_MARKER]),
    );
    for (const name of ["FOO_API_KEY", "GH_TOKEN", "BASH_ENV", "ENV", "NODE_OPTIONS"])
      expect(names).not.toContain(name);
  });

  test("exec starts in the root or a folder below it and keeps nothing for the next call", async () => {
    const root = temporaryFolder();
    mkdirSync(path.join(root, "sub"));
    const tools = createHands(root);
    expect((await tools.call("exec", { command: "cd sub; X=1; pwd" })).text).toContain(path.join(root, "sub"));
    expect((await tools.call("exec", { command: 'pwd; echo "[$X]"' })).text).toBe(`${root}\n[]\n[exit code 0]`);
    expect((await tools.call("exec", { command: "pwd", cwd: "sub" })).text).toContain(path.join(root, "sub"));
    expect((await tools.call("exec", { command: "pwd", cwd: "none" })).text).toContain("it does not exist");
  });

  test("exec names a signal, strips terminal commands, and takes a command that begins with a dash", async () => {
    expect((await hands().call("exec", { command: "kill -SEGV $$" })).text).toContain("[ended by signal SIGSEGV]");
    const colours = String.raw`printf '\033[31mred\033[0m \033]0;title\007end\000'`;
    expect((await hands().call("exec", { command: colours })).text).toBe("red end\u2400\n[exit code 0]");
    expect((await hands().call("exec", { command: "-x" })).text).toContain("[exit code 127]");
  });

  test("exec says why a command cannot be started", async () => {
    expect((await hands().call("exec", { command: "a\0b" })).text).toContain("NUL");
    expect((await hands().call("exec", { command: `: ${"x".repeat(3_000_000)}` })).text).toContain("it is too long");
  });
});

test("findShell falls back to sh where there is no bash", () => {
  expect(findShell(temporaryFolder())).toMatchObject({ name: "sh" });
});
