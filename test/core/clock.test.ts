import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { rolldown } from "rolldown";
import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { temporaryFolder } from "../journal/temporary-folder.ts";

const run = promisify(execFile);

describe("systemClock", () => {
  let folder = "";
  beforeAll(async () => {
    folder = temporaryFolder();
    const bundle = await rolldown({ input: "src/core/clock.ts", platform: "node", logLevel: "silent" });
    await bundle.write({ file: path.join(folder, "clock.mjs"), format: "esm" });
  });

  const program = async (code: string): Promise<string> => {
    const file = path.join(folder, "program.mjs");
    writeFileSync(
      file,
      `import { systemClock } from "./clock.mjs";\nconst say = (...words) => console.log(...words);\n${code}`,
    );
    return (await run(process.execPath, [file], { timeout: 10_000 })).stdout.trim();
  };

  test("deadlines fall due in the order of their times, whatever the order in which they were set", async () => {
    const order: number[] = [];
    await new Promise<void>((resolve) => {
      for (const ms of [30, 5, 20, 10, 20]) {
        systemClock.after(ms, () => {
          order.push(ms);
          if (order.length === 5) resolve();
        });
      }
    });
    expect(order).toEqual([5, 10, 20, 20, 30]);
  });

  test("deadlines fall due in the order of their times also when the host was busy until all of them were due", async () => {
    const code = `
      for (const ms of [30, 5, 20, 10]) systemClock.after(ms, () => say(ms));
      setImmediate(() => setImmediate(() => { const until = Date.now() + 100; while (Date.now() < until); }));`;
    expect(await program(code)).toBe("5\n10\n20\n30");
  });

  test("a deadline that was cancelled, once or twice, before or in another one, never runs", async () => {
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      const cancelFirst = systemClock.after(5, () => ran.push("first"));
      cancelFirst();
      cancelFirst();
      let cancelOther = (): void => undefined;
      systemClock.after(5, () => {
        ran.push("canceller");
        cancelOther();
      });
      cancelOther = systemClock.after(5, () => ran.push("other"));
      systemClock.after(10, resolve);
    });
    expect(ran).toEqual(["canceller"]);
  });

  test("a deadline that is set in another one's run falls due as well", async () => {
    await new Promise<void>((resolve) => {
      systemClock.after(1, () => systemClock.after(1, resolve));
    });
  });

  test("a pending deadline keeps the process alive", async () => {
    expect(await program('systemClock.after(100, () => say("ran"));')).toBe("ran");
  });

  test("a process without pending deadlines ends, however far off the cancelled ones were", async () => {
    expect(await program('const cancel = systemClock.after(600_000, () => say("ran")); cancel(); say("over");')).toBe(
      "over",
    );
  });

  test("a deadline that is set after all others were cancelled keeps the process alive again", async () => {
    const code = 'systemClock.after(600_000, () => say("far"))(); systemClock.after(50, () => say("near"));';
    expect(await program(code)).toBe("near");
  });

  test("a deadline further off than a timer of the host can wait does not fall due at once", async () => {
    expect(
      await program(
        'const cancel = systemClock.after(2 ** 40, () => say("ran")); systemClock.after(20, () => { cancel(); say("not yet"); });',
      ),
    ).toBe("not yet");
  });

  test("a deadline that throws does not take the others with it", async () => {
    const code = `process.on("uncaughtException", () => undefined);
      systemClock.after(5, () => { throw new Error("no"); });
      systemClock.after(6, () => say("same list or not"));
      systemClock.after(5, () => say("beside"));`;
    expect((await program(code)).split("\n").sort()).toEqual(["beside", "same list or not"]);
  });
});
