import { type ChildProcess, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliOptions, type CliResult, makeFolder, runCli, runCliOnTerminal } from "./run-cli.ts";
import { conversation, flipByte, stateFolderOfTest } from "./session-fixtures.ts";

const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;

const script = (...turns: readonly object[]): string => JSON.stringify({ turns });
const read = { name: "read", input: { path: "a.md" } };

/** A folder to work in and a state folder, and the command line on both. */
function place(files: Readonly<Record<string, string>> = {}) {
  const cwd = makeFolder({
    "a.md": "hello\n",
    "first.json": script({ text: "Let me see. ", calls: [read] }, { text: "It says hello." }),
    "more.json": script({ text: "And again." }),
    ...files,
  });
  const { home, sessions, journalOf } = stateFolderOfTest();
  const options = { cwd, env: { TOOLMAP_HOME: home } };
  return {
    cwd,
    home,
    sessions,
    journalOf,
    cli: async (args: readonly string[], more: CliOptions = {}): Promise<CliResult> =>
      await runCli(args, { ...options, ...more }),
    terminal: async (args: readonly string[], more: CliOptions = {}): Promise<CliResult> =>
      await runCliOnTerminal(args, { ...options, ...more }),
  };
}

interface ListDocument {
  readonly sessions: readonly {
    readonly id: string;
    readonly state: string;
    readonly problems: number;
    readonly holder?: { readonly pid: number };
  }[];
}

interface ExportDocument {
  readonly entries: readonly { readonly entry: Readonly<Record<string, unknown>> }[];
}

function parse<T>({ stdout }: CliResult): T {
  expect(stdout).toMatch(/^\{"v":1,.*\}\n$/);
  return JSON.parse(stdout) as T;
}

/** What was said in a session, by whom, and how its calls ended, in order. */
function said(result: CliResult): readonly unknown[] {
  return parse<ExportDocument>(result).entries.flatMap(({ entry }) => {
    if (entry["type"] === "outcome") return [entry["outcome"]];
    if (entry["type"] === "session-opened") return [entry["isResumed"] === true ? "resumed" : "opened"];
    return entry["type"] === "message" ? [(entry["message"] as { readonly role: string }).role] : [];
  });
}

/** Settles once a stream of the process has said this. */
async function hasSaid(child: ChildProcess, text: string): Promise<void> {
  let seen = "";
  await new Promise<void>((resolve, reject) => {
    child.once("close", () => reject(new Error(`it ended without "${text}": ${seen}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: string) => {
        seen += chunk;
        if (seen.includes(text)) resolve();
      });
    }
  });
}

/** Settles once it holds: what another process does on the disk tells nobody. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe("toolmap run on record", () => {
  test("run makes a session, and run -c goes on with it", async () => {
    const { cli } = place();
    const first = parse<{ readonly sessionId: string }>(
      await cli(["run", "What is in a.md?", "--script", "first.json", "--json"]),
    );
    const second = parse<object>(await cli(["run", "And now?", "-c", "--script", "more.json", "--json"]));
    expect(second).toMatchObject({ sessionId: first.sessionId, text: "And again." });
    expect(parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions).toHaveLength(1);
    expect(said(await cli(["sessions", "export", first.sessionId]))).toEqual([
      "opened",
      "user",
      "assistant",
      "ok",
      "assistant",
      "resumed",
      "user",
      "assistant",
    ]);
    const shown = await cli(["sessions", "show", first.sessionId.slice(0, 8)]);
    expect(shown.stdout).toMatch(/What is in a\.md\?[\s\S]+ok +read[\s\S]+hello[\s\S]+And now\?[\s\S]+And again\./);
  });

  test("run --session goes on with the one that is named, and makes none where the id is unknown", async () => {
    const { cli } = place();
    await cli(["run", "--script", "first.json"]);
    const [older] = parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions;
    await cli(["run", "--script", "first.json"]);
    const id = older?.id ?? "";
    expect(parse<object>(await cli(["run", "--session", id, "--script", "more.json", "--json"]))).toMatchObject({
      sessionId: id,
    });
    const unknown = await cli(["run", "--session", "nobody", "--script", "more.json", "--json"]);
    expect(unknown.code).toBe(2);
    expect(parse<object>(unknown)).toMatchObject({ error: { code: "unknown-session" } });
    expect(parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions).toHaveLength(2);
  });

  test("run -c finds nothing in another folder", async () => {
    const { cli } = place();
    await cli(["run", "--script", "first.json"]);
    const { code, stdout } = await cli(["run", "-c", "--script", "more.json", "--json"], {
      cwd: makeFolder({ "more.json": script({ text: "no" }) }),
    });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ v: 1, error: { code: "unknown-session" } });
  });
});

describe.skipIf(!hasScript)(
  hasScript ? "a run that is under way" : "a run that is under way (needs the program script)",
  () => {
    const WAITS = {
      "s.json": script(
        { text: "I wait.", calls: [{ name: "exec", input: { command: "echo $$ > pid; exec sleep 60" } }] },
        { text: "done" },
      ),
    };

    test("a run that is under way is listed as open, refused to a second one, watched, and goes on after kill -9", async () => {
      const { cwd, cli, terminal } = place(WAITS);
      const seen: { watched?: CliResult; second?: CliResult } = {};
      const pidFile = path.join(cwd, "pid");
      await terminal(["run", "Wait.", "--script", "s.json"], {
        stdin: "open",
        during: async (child) => {
          await hasSaid(child, "[y/N]");
          const [session] = parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions;
          expect(session).toMatchObject({ state: "open" });
          const { id = "", holder } = session ?? {};
          const pid = holder?.pid ?? 0;
          const watched = cli(["sessions", "show", id, "--follow"], {
            during: async (watcher) => await hasSaid(watcher, "asks"),
          });
          seen.second = await cli(["run", "--session", id, "--script", "more.json"]);
          expect(seen.second.stderr).toContain(`process ${pid} has it open`);
          child.stdin?.write("y\n");
          await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
          process.kill(pid, "SIGKILL");
          process.kill(Number(readFileSync(pidFile, "utf8")), "SIGKILL");
          seen.watched = await watched;
        },
      });
      expect(seen.second).toMatchObject({ code: 2, stdout: "" });
      expect(seen.watched?.code).toBe(0);
      expect(seen.watched?.stdout).toMatch(
        /I wait\.[\s\S]+asks {2}exec[\s\S]+approved by person[\s\S]+exec was interrupted/,
      );
      expect(seen.watched?.stderr).toContain("No process has the session open.");

      const [left] = parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions;
      expect(left).toMatchObject({ state: "interrupted", problems: 0 });
      const goneOn = await cli(["run", "Go on.", "-c", "--script", "more.json"]);
      expect({ code: goneOn.code, stdout: goneOn.stdout }).toEqual({ code: 0, stdout: "And again.\n" });
      expect(goneOn.stderr).toContain("interrupted");
      expect(said(await cli(["sessions", "export", left?.id ?? ""]))).toEqual([
        "opened",
        "user",
        "assistant",
        "resumed",
        "interrupted",
        "user",
        "assistant",
      ]);
      expect((await cli(["audit", "verify"])).code).toBe(0);
    }, 60_000);

    test("sessions purge takes Ctrl-C at its question as an end without a removal", async () => {
      const { cli, terminal } = place();
      await cli(["run", "--script", "first.json"]);
      const { code } = await terminal(["sessions", "purge", "--keep", "0"], {
        stdin: "open",
        during: async (child) => {
          await hasSaid(child, "[y/N]");
          child.stdin?.end("\u0003");
        },
      });
      expect(code).toBe(130);
      expect(parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions).toHaveLength(1);
    });

    test("a run that is under way is spared by purge and repair", async () => {
      const { cli, terminal } = place(WAITS);
      const seen: CliResult[] = [];
      await terminal(["run", "Wait.", "--script", "s.json"], {
        stdin: "open",
        during: async (child) => {
          await hasSaid(child, "[y/N]");
          const [session] = parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions;
          seen.push(await cli(["sessions", "purge", session?.id ?? "", "--yes"]));
          seen.push(await cli(["sessions", "repair", session?.id ?? ""]));
          child.stdin?.end("n\n");
        },
      });
      expect(seen[0]).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^left .+ open in process \d+/) as string,
      });
      expect(seen[1]).toMatchObject({ code: 2, stderr: expect.stringContaining("has it open") as string });
      expect((await cli(["sessions", "purge", "--keep", "0", "--yes"])).stdout).toMatch(/^removed /);
    });
  },
);

describe("toolmap sessions show --follow", () => {
  /** This process has a session while another one follows it. */
  async function followed(
    during: (process: ChildProcess, add: (text: string) => Promise<void>) => Promise<void>,
    { closes }: { readonly closes: boolean },
  ): Promise<CliResult> {
    const { home, store } = stateFolderOfTest();
    const lease = await store.ports.lock.open("s1");
    const put = async (entry: object): Promise<void> =>
      await store.ports.journal.append({ ...entry, type: "", session: "s1", ...entry }, { sync: true });
    for (const entry of conversation("the first").slice(0, -1)) await put(entry);
    const result = await runCli(["sessions", "show", "s1", "--follow"], {
      env: { TOOLMAP_HOME: home },
      during: async (child) => {
        await hasSaid(child, "the text");
        await during(child, (text) =>
          put({ type: "message", message: { role: "user", content: [{ type: "text", text }] } }),
        );
        if (closes) await put({ type: "session-closed" });
        if (closes) await lease.release();
      },
    });
    if (!closes) await lease.release();
    return result;
  }

  test("sessions show --follow prints what another process appends, once each, until it closes the session", async () => {
    const { code, stdout, stderr } = await followed(
      async (child, add) => {
        const second = hasSaid(child, "the second");
        await add("the second");
        await second;
        await add("the third");
      },
      { closes: true },
    );
    expect(code).toBe(0);
    expect(stdout.match(/the (first|second|third)/g)).toEqual(["the first", "the second", "the third"]);
    expect(stderr).toBe("The session is closed.\n");
  });

  test("sessions show --follow stops at Ctrl-C and leaves the session alone", async () => {
    const { code, stderr } = await followed(async (child) => void child.kill("SIGINT"), { closes: false });
    expect(code).toBe(130);
    expect(stderr).toContain("Stopped watching");
  });

  test("sessions show --follow ends when nobody reads it any more", async () => {
    const { code } = await followed(
      async (child, add) => {
        child.stdout?.destroy();
        const closed = new Promise((resolve) => child.once("exit", resolve));
        await add("unread");
        await closed;
      },
      { closes: false },
    );
    expect(code).toBe(0);
  });
});

describe("toolmap sessions", () => {
  test("sessions are listed, verified, mended and removed by the real binary", async () => {
    const { cli, journalOf } = place();
    await cli(["run", "What is in a.md?", "--script", "first.json"]);
    const [session] = parse<ListDocument>(await cli(["sessions", "list", "--json"])).sessions;
    const id = session?.id ?? "";
    const before = await cli(["audit", "verify", id]);
    expect(before).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^intact .+ head \d+:[0-9a-f]{32}\n$/) as string,
    });
    flipByte(journalOf(id), "Let me see");
    const bent = await cli(["audit", "verify"]);
    expect(bent.code).toBe(1);
    expect(bent.stdout).toMatch(/^broken .+\n {2}damaged-line {2}Line \d+ .+byte \d+/);
    expect(parse<object>(await cli(["sessions", "repair", id, "--json"]))).toMatchObject({
      isRepaired: true,
      problems: [{ kind: "damaged-line" }],
    });
    expect((await cli(["audit", "verify"])).code).toBe(0);
    expect((await cli(["run", "-c", "--script", "more.json"])).code).toBe(0);
    expect(await cli(["sessions", "export", id, "--output", "out.json"])).toMatchObject({ code: 0, stdout: "" });
    expect(await cli(["sessions", "purge", id])).toMatchObject({ code: 2, stdout: "" });
    expect(await cli(["sessions", "purge", id, "--yes"])).toMatchObject({ code: 0, stdout: `removed  ${id}\n` });
    expect(await cli(["sessions", "list"])).toMatchObject({ code: 0, stdout: "" });
  });

  test.each([
    [["sessions", "list"]],
    [["sessions", "show", "x"]],
    [["audit", "verify"]],
    [["run", "--script", "first.json"]],
  ])("a state folder that cannot be used is told in a sentence by %j", async (args) => {
    const { cli, cwd } = place();
    const TOOLMAP_HOME = path.join(cwd, "a.md");
    for (const home of [TOOLMAP_HOME, "relative"]) {
      const { code, stdout, stderr } = await cli(args, { env: { TOOLMAP_HOME: home } });
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^toolmap: .+\n.+\n$/);
    }
  });
});
