import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { rolldown } from "rolldown";
import { createSessionStore } from "toolmap/journal";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** Does what stdin says, a word a line, and answers each with a line. */
const PROCESS = `
import { createInterface } from "node:readline";
import { createSessionStore } from "./store.mjs";
const [folder, leaseMs] = process.argv.slice(2);
const store = createSessionStore({ folder, leaseMs: Number(leaseMs) });
let lease;
const say = (...words) => process.stdout.write(words.join(" ") + "\\n");
for await (const line of createInterface(process.stdin)) {
  try {
    if (line === "open") {
      lease = await store.ports.lock.open("s");
      lease.lost.addEventListener("abort", () => say("lost"));
      say("opened", lease.fence);
    } else if (line === "race") {
      let won = 0;
      while (won < 25) {
        try {
          const mine = await store.ports.lock.open("s");
          won += 1;
          await store.ports.journal.append({ type: "turn", session: "s", pid: process.pid, step: "in" }, { sync: false });
          await store.ports.journal.append({ type: "turn", session: "s", pid: process.pid, step: "out" }, { sync: false });
          await mine.release();
        } catch (error) {
          if (error.code !== "session-open-elsewhere") say("failed", error.message);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      say("raced", won);
    } else if (line === "append") {
      await store.ports.journal.append({ type: "late", session: "s" }, { sync: true });
      say("appended");
    } else if (line === "close") {
      await lease?.release();
      say("closed");
    }
  } catch (error) {
    say("refused", error.code);
  }
}
`;

let script = "";

beforeAll(async () => {
  const build = temporaryFolder();
  const bundle = await rolldown({ input: "src/journal/session-store.ts", platform: "node", logLevel: "silent" });
  await bundle.write({ file: path.join(build, "store.mjs"), format: "esm", codeSplitting: false });
  script = path.join(build, "process.mjs");
  writeFileSync(script, PROCESS);
});

interface Process {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Says a word and gives the answer. */
  ask(word: string): Promise<string>;
  next(): Promise<string>;
}

function start(folder: string, leaseMs: number): Process {
  const child = spawn(process.execPath, [script, folder, String(leaseMs)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  onTestFinished(() => void child.kill("SIGKILL"));
  const next = async (): Promise<string> => String((await lines.next()).value);
  return {
    child,
    next,
    ask: (word) => {
      child.stdin.write(`${word}\n`);
      return next();
    },
  };
}

describe("a session that several processes want", () => {
  test("of four that want it again and again at once, one has it at a time", async () => {
    const folder = temporaryFolder();
    const processes = Array.from({ length: 4 }, () => start(folder, 10_000));
    const answers = await Promise.all(processes.map(({ ask }) => ask("race")));
    const won = answers.map((answer) => Number(/^raced (\d+)$/.exec(answer)?.[1]));
    expect(won).toEqual([25, 25, 25, 25]);
    const { recorded, problems } = await createSessionStore({ folder }).readSession("s");
    expect(problems).toEqual([]);
    expect(recorded).toHaveLength(2 * won.reduce((sum, count) => sum + count, 0));
    for (let at = 0; at < recorded.length; at += 2) {
      const [enters, leaves] = [recorded[at], recorded[at + 1]];
      expect(enters?.entry).toMatchObject({ step: "in", pid: leaves?.entry["pid"] });
      expect(leaves?.fence).toBe(enters?.fence);
      expect(enters?.fence ?? 0).toBeGreaterThan(at === 0 ? 0 : (recorded[at - 1]?.fence ?? 0));
    }
  }, 30_000);

  test("an owner that is killed is followed at once, under a higher fence", async () => {
    const folder = temporaryFolder();
    let before = 0;
    for (let round = 0; round < 3; round += 1) {
      const owner = start(folder, 60_000);
      const fence = Number((await owner.ask("open")).split(" ")[1]);
      expect(fence).toBeGreaterThan(before);
      before = fence;
      owner.child.kill("SIGKILL");
      await once(owner.child, "exit");
    }
  });

  test("an owner that stands still past its lease is overtaken, and its late write is refused", async () => {
    const folder = temporaryFolder();
    const [stopped, next] = [start(folder, 200), start(folder, 200)];
    expect(await stopped.ask("open")).toMatch(/^opened/);
    expect(await next.ask("open")).toBe("refused session-open-elsewhere");
    stopped.child.kill("SIGSTOP");
    let answer = "";
    do answer = await next.ask("open");
    while (answer === "refused session-open-elsewhere");
    expect(answer).toMatch(/^opened/);
    expect(await next.ask("append")).toBe("appended");
    stopped.child.kill("SIGCONT");
    const said = [await stopped.ask("append"), await stopped.next()].sort();
    expect(said).toEqual(["lost", "refused journal-fenced"]);
    expect(await next.ask("append")).toBe("appended");
    const { entries, problems } = await createSessionStore({ folder }).readSession("s");
    expect(entries.map(({ type }) => type)).toEqual(["late", "late"]);
    expect(problems).toEqual([]);
  });
});
