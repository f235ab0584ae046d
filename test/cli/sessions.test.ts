import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createAgentSession } from "../../src/core/session/create-agent-session.ts";
import { fakeHost } from "./fake-host.ts";
import { makeFolder } from "./run-cli.ts";
import { conversation, flipByte, runHere, stateFolderOfTest } from "./session-fixtures.ts";

const DAY = 24 * 3_600_000;

function parse(text: string): Readonly<Record<string, unknown>> {
  expect(text).toMatch(/^\{"v":1,.*\}\n$/);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

describe("toolmap sessions list", () => {
  test("sessions list shows the newest first, with state, age, lines and title", async () => {
    const { home, record } = stateFolderOfTest();
    await record("older", conversation("Look at a.md"), { at: Date.now() - 3 * DAY });
    await record("newer", conversation("Look at b.md").slice(0, -1));
    const { code, stdout, stderr } = await runHere(["sessions", "list"], { home });
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^ID +STATE +CHANGED +LINES +SIZE +TITLE$/),
      expect.stringMatching(/^newer +ready +now +5 +[\d.]+ k?B +Look at b\.md$/),
      expect.stringMatching(/^older +closed +3 d ago +6 +[\d.]+ k?B +Look at a\.md$/),
      "",
    ]);
    expect(stderr).toBe("2 sessions\n");
  });

  test("sessions list --json tells the same with times that programs read", async () => {
    const { home, record } = stateFolderOfTest();
    await record("s1", conversation(), { at: Date.UTC(2026, 0, 31) });
    const { stdout } = await runHere(["sessions", "list", "--json"], { home });
    expect(parse(stdout)).toMatchObject({
      isCut: false,
      sessions: [
        { id: "s1", state: "closed", changedAt: "2026-01-31T00:00:00.000Z", lines: 6, title: "hello", problems: 0 },
      ],
    });
  });

  test("sessions list says how to make a session where there is none, and makes nothing", async () => {
    const home = path.join(makeFolder(), "none");
    const { code, stdout, stderr } = await runHere(["sessions", "list"], { home });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("toolmap run --script FILE");
    expect(existsSync(home)).toBe(false);
  });

  test("sessions list --limit leaves the older ones out and says so", async () => {
    const { home, record } = stateFolderOfTest();
    for (const [age, id] of ["a", "b", "c"].entries()) await record(id, conversation(), { at: Date.now() - age * DAY });
    const { stdout, stderr } = await runHere(["sessions", "list", "--limit", "2"], { home });
    expect(stdout.match(/^[abc] /gm)).toEqual(["a ", "b "]);
    expect(stderr).toContain("older ones");
    const whole = await runHere(["sessions", "list", "--limit", "3"], { home });
    expect(whole.stderr).toBe("3 sessions\n");
  });

  test("sessions list --here shows those that were opened in the folder", async () => {
    const { home, record } = stateFolderOfTest();
    await record("here", [{ type: "opened-in", folder: process.cwd() }, ...conversation()]);
    await record("there", [{ type: "opened-in", folder: "/elsewhere" }, ...conversation()]);
    const { stdout } = await runHere(["sessions", "list", "--here"], { home });
    expect(stdout).toContain("here ");
    expect(stdout).not.toContain("there ");
  });

  test("sessions list marks a session that a process has open, and one whose call was under way", async () => {
    const { home, record, store } = stateFolderOfTest();
    await record("cut", conversation().slice(0, 4));
    const session = await createAgentSession({ id: "held", ports: store.ports });
    await store.ports.journal.append({ type: "opened-in", session: "held", folder: "/" }, { sync: true });
    const { stdout } = await runHere(["sessions", "list"], { home });
    expect(stdout).toMatch(new RegExp(`^held +open \\(${process.pid}\\) `, "m"));
    expect(stdout).toMatch(/^cut +interrupted /m);
    const { sessions } = parse((await runHere(["sessions", "list", "--json"], { home })).stdout);
    expect(sessions).toContainEqual(
      expect.objectContaining({
        id: "held",
        state: "open",
        holder: expect.objectContaining({ pid: process.pid }) as object,
      }),
    );
    await session.close();
    expect((await runHere(["sessions", "list"], { home })).stdout).not.toContain("open (");
  });

  test("sessions list shows what would command a terminal instead of obeying it", async () => {
    const { home, record } = stateFolderOfTest();
    await record("s1", conversation("\u001b]0;owned\u0007 \u009b2J"));
    const { stdout } = await runHere(["sessions", "list"], { home });
    expect(stdout).toContain("owned");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("\u009b");
  });

  test("sessions list shows damaged and foreign things beside the whole ones, and says what to do", async () => {
    const { home, sessions, record, journalOf } = stateFolderOfTest();
    await record("good", conversation());
    await record("bent", conversation());
    flipByte(journalOf("bent"), "Let me see");
    mkdirSync(path.join(sessions, "noise"));
    writeFileSync(path.join(sessions, "noise", "journal.jsonl"), Buffer.from([0, 255, 10, 1, 2, 3, 10]));
    mkdirSync(path.join(sessions, "empty"));
    writeFileSync(path.join(sessions, "a-file"), "hello");
    const { code, stdout, stderr } = await runHere(["sessions", "list"], { home });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^good +closed /m);
    expect(stdout).toMatch(/^bent +closed, 1 problem /m);
    expect(stdout).toMatch(/^noise +damaged, 2 problems /m);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stderr).toContain("audit verify");
  });

  test.each([
    ["the state folder", (home: string) => home],
    ["the folder of sessions", (home: string) => path.join(home, "sessions")],
  ])("sessions list says so where %s is a file", async (_, pathOf) => {
    const home = path.join(makeFolder(), "home");
    if (pathOf(home) !== home) mkdirSync(home);
    writeFileSync(pathOf(home), "");
    for (const argv of [
      ["sessions", "list"],
      ["sessions", "show", "x"],
      ["audit", "verify"],
    ]) {
      const { code, stderr } = await runHere(argv, { home });
      expect(code).toBe(2);
      expect(stderr).toContain("what should be a folder is a file");
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});

describe("a session's id", () => {
  const uuids = ["3f2a0000-0000-4000-8000-000000000000", "3f2b0000-0000-4000-8000-000000000000"] as const;

  test("a session's id may be shortened as long as it stays unique", async () => {
    const { home, record } = stateFolderOfTest();
    for (const id of uuids) await record(id, conversation());
    const { code, stdout } = await runHere(["sessions", "show", "3f2a"], { home });
    expect(code).toBe(0);
    expect(stdout).toContain(uuids[0]);
  });

  test("a session's id that begins several is refused with the candidates, but a whole one is not", async () => {
    const { home, record } = stateFolderOfTest();
    for (const id of [...uuids, "3f2"]) await record(id, conversation());
    const { code, stdout } = await runHere(["sessions", "show", "3f", "--json"], { home });
    expect(code).toBe(2);
    expect(parse(stdout)).toMatchObject({ error: { code: "unknown-session" } });
    for (const id of uuids) expect(stdout).toContain(id);
    expect((await runHere(["sessions", "show", "3f2"], { home })).code).toBe(0);
  });

  test.each([
    ["sessions", "show"],
    ["sessions", "export"],
    ["sessions", "repair"],
    ["sessions", "purge", "--yes"],
    ["audit", "verify"],
  ])("a session's id that is unknown is refused by %s %s with the nearest one", async (...argv) => {
    const { home, record } = stateFolderOfTest();
    await record(uuids[0], conversation());
    const { code, stdout } = await runHere([...argv, "3f2c", "--json"], { home });
    expect(code).toBe(2);
    expect(parse(stdout)).toMatchObject({
      error: { code: "unknown-session", message: expect.stringContaining(uuids[0]) as string },
    });
    expect((await runHere([...argv, ""], { home })).code).toBe(2);
  });

  test("a session's id is told apart from others where nothing of its record can be read", async () => {
    const { home, sessions } = stateFolderOfTest();
    const name = `x-${"0".repeat(32)}`;
    mkdirSync(path.join(sessions, name), { recursive: true });
    writeFileSync(path.join(sessions, name, "journal.jsonl"), "noise\n");
    const { code, stderr } = await runHere(["sessions", "show", name], { home });
    expect(code).toBe(2);
    expect(stderr).toContain("does not tell whose it is");
    const verified = await runHere(["audit", "verify"], { home });
    expect(verified.code).toBe(1);
    expect((await runHere(["sessions", "purge", name, "--yes"], { home })).code).toBe(0);
  });
});

describe("toolmap sessions show", () => {
  test("sessions show tells a conversation as people read it", async () => {
    const { home, record } = stateFolderOfTest();
    await record("s1", [
      ...conversation("What does a.md say?").slice(0, -1),
      { type: "approval-requested", callId: "c2", name: "write", request: { reason: "it writes" } },
      {
        type: "approval-answered",
        callId: "c2",
        name: "write",
        id: "r",
        answer: { answer: "rejected", by: "ada", message: "not now" },
      },
      { type: "intent", callId: "c3", name: "pay", input: { sum: 5 } },
      { type: "call-noted", callId: "c1", text: "the same call again" },
      { type: "of-a-later-version" },
    ]);
    const { code, stdout } = await runHere(["sessions", "show", "s1"], { home });
    expect(code).toBe(0);
    const wanted = [
      /^s1 {2}interrupted, 10 lines/,
      /^user\n {2}What does a\.md say\?$/m,
      /^model\n {2}Let me see\.\n {2}call {2}read \{"path":"a\.md"\}\n {2}ok +read\n +the text$/m,
      /asks {2}write: it writes\n {2}rejected by ada: not now$/m,
      /call {2}pay \{"sum":5\}$/m,
      /note {2}the same call again/,
      /of-a-later-version/,
      /^ {2}pay was interrupted$/m,
    ];
    for (const each of wanted) expect(stdout).toMatch(each);
  });

  test("sessions show clips a long result, says how much is not shown, and --json has the whole", async () => {
    const { home, record } = stateFolderOfTest();
    const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
    const entries = conversation().map((entry) =>
      entry["type"] === "outcome" ? { ...entry, content: [{ type: "text", text }] } : entry,
    );
    await record("s1", entries);
    const { stdout } = await runHere(["sessions", "show", "s1"], { home });
    expect(stdout).toContain("… 42 more lines");
    expect(stdout).not.toContain("line 20");
    const whole = await runHere(["sessions", "show", "s1", "--json"], { home });
    expect(parse(whole.stdout)).toMatchObject({ id: "s1", state: "closed", problems: [], head: { number: 6 } });
    expect(whole.stdout).toContain("line 49");
  });

  test("sessions show takes entries of any shape without failing", async () => {
    const { home, record } = stateFolderOfTest();
    const types = [
      "session-opened",
      "opened-in",
      "message",
      "intent",
      "outcome",
      "approval-requested",
      "approval-answered",
      "call-noted",
      "state",
      "session-closed",
      "repaired",
      "settled-late",
      "__proto__",
    ];
    await record(
      "s1",
      types.flatMap((type) => [
        { type },
        { type, message: 5, request: [], answer: null, callId: {}, name: ["x"], input: "i", content: {}, text: 1 },
        {
          type,
          message: {
            role: "assistant",
            parts: [null, { type: "other", value: null }, { type: "text", text: "\u001b[2J" }],
          },
        },
      ]),
    );
    const { code, stdout, stderr } = await runHere(["sessions", "show", "s1"], { home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("\u001b");
  });

  test("sessions show tells what is wrong with the file, and shows the rest", async () => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    flipByte(journalOf("s1"), "Let me see");
    const { code, stdout } = await runHere(["sessions", "show", "s1"], { home });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^1 problem\n {2}damaged-line {2}Line 3 .+byte \d+/m);
    expect(stdout).toContain("hello");
    expect(stdout).toContain("the text");
  });

  test("sessions show --follow ends at once where nobody has the session", async () => {
    const { home, record } = stateFolderOfTest();
    await record("s1", conversation());
    await record("s2", conversation().slice(0, 4));
    const closed = await runHere(["sessions", "show", "s1", "--follow"], { home });
    expect(closed).toMatchObject({ code: 0, stderr: "The session is closed.\n" });
    const left = await runHere(["sessions", "show", "s2", "--follow"], { home });
    expect(left).toMatchObject({ code: 0, stderr: "No process has the session open.\n" });
    expect(left.stdout).toContain("read was interrupted");
    expect((await runHere(["sessions", "show", "s1", "--follow", "--json"], { home })).code).toBe(2);
  });
});

describe("toolmap sessions export", () => {
  test("sessions export prints the record as one document, with or without --json", async () => {
    const { home, record } = stateFolderOfTest();
    const long = "x".repeat(20_000);
    await record("s1", conversation(long));
    const { code, stdout, stderr } = await runHere(["sessions", "export", "s1"], { home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(parse(stdout)).toMatchObject({ session: "s1", head: { number: 6 }, problems: [] });
    expect(stdout).toContain(long);
    expect((await runHere(["sessions", "export", "s1", "--json"], { home })).stdout).toBe(stdout);
  });

  test("sessions export --output writes a new file for its owner alone, and no other", async () => {
    const { home, record } = stateFolderOfTest();
    await record("s1", conversation());
    const file = path.join(makeFolder(), "out.json");
    const first = await runHere(["sessions", "export", "s1", "--output", file, "--json"], { home });
    expect(parse(first.stdout)).toMatchObject({ session: "s1", file, entries: 6, problems: [] });
    const text = readFileSync(file, "utf8");
    expect(JSON.parse(text)).toMatchObject({ v: 1, session: "s1" });
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await runHere(["sessions", "export", "s1", "--output", file], { home });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain("there already");
    expect(readFileSync(file, "utf8")).toBe(text);
    const nowhere = await runHere(["sessions", "export", "s1", "--output", path.join(file, "x")], { home });
    expect(nowhere).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("toolmap sessions repair", () => {
  test("sessions repair says what is kept, what is left out and where the file is as it was", async () => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    flipByte(journalOf("s1"), "Let me see");
    const bent = readFileSync(journalOf("s1"));
    const { code, stdout } = await runHere(["sessions", "repair", "s1", "--json"], { home });
    expect(code).toBe(0);
    const document = parse(stdout) as { readonly original: string };
    expect(document).toMatchObject({
      id: "s1",
      isRepaired: true,
      kept: 5,
      problems: [{ kind: "damaged-line", line: 3 }],
      remaining: [],
    });
    expect(readFileSync(document.original)).toEqual(bent);
    const again = await runHere(["sessions", "repair", "s1"], { home });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing that a repair mends") as string });
  });

  test("sessions repair does not touch a session that is open", async () => {
    const { home, record, store, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    flipByte(journalOf("s1"), "Let me see");
    const bent = readFileSync(journalOf("s1"));
    const lease = await store.ports.lock.open("s1");
    const { code, stdout } = await runHere(["sessions", "repair", "s1", "--json"], { home });
    expect(code).toBe(2);
    expect(parse(stdout)).toMatchObject({ error: { code: "session-open-elsewhere" } });
    expect(readFileSync(journalOf("s1"))).toEqual(bent);
    await lease.release();
    expect((await runHere(["sessions", "repair", "s1"], { home })).code).toBe(0);
  });
});

describe("toolmap audit verify", () => {
  test("audit verify prints each head, and fails once a byte was changed, with line and byte", async () => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    await record("s2", conversation());
    const before = await runHere(["audit", "verify"], { home });
    expect(before.code).toBe(0);
    expect(before.stdout.match(/^intact {2}s[12] {2}6 lines {2}head 6:[0-9a-f]{32}$/gm)).toHaveLength(2);
    flipByte(journalOf("s1"), "Let me see");
    const after = await runHere(["audit", "verify"], { home });
    expect(after.code).toBe(1);
    expect(after.stdout).toMatch(/^broken {2}s1 .+\n {2}damaged-line {2}Line 3 .+\(byte \d+, \d+ long\)$/m);
    expect(after.stdout).toMatch(/^intact {2}s2 /m);
    expect((await runHere(["audit", "verify", "s2"], { home })).code).toBe(0);
    await runHere(["sessions", "repair", "s1"], { home });
    expect((await runHere(["audit", "verify"], { home })).code).toBe(0);
  });

  test("audit verify --head finds that the end was cut off, which the chain alone cannot", async () => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    const whole = await runHere(["audit", "verify", "s1"], { home });
    const head = /head (\S+)/.exec(whole.stdout)?.[1] ?? "";
    expect((await runHere(["audit", "verify", "s1", "--head", head], { home })).code).toBe(0);
    const lines = readFileSync(journalOf("s1"), "utf8").split("\n");
    writeFileSync(
      journalOf("s1"),
      lines
        .slice(0, -2)
        .map((line) => `${line}\n`)
        .join(""),
    );
    expect((await runHere(["audit", "verify", "s1"], { home })).code).toBe(0);
    const cut = await runHere(["audit", "verify", "s1", "--head", head, "--json"], { home });
    expect(cut.code).toBe(1);
    expect(parse(cut.stdout)).toMatchObject({
      isIntact: false,
      sessions: [{ id: "s1", problems: [{ kind: "other-head" }] }],
    });
  });

  test.each([
    ["verify", "s1", "--head", "6"],
    ["verify", "s1", "--head", "6:xyz"],
    ["verify", "--head", `6:${"0".repeat(32)}`],
  ])("audit %s %s %s is refused: it names no head of a session", async (...argv) => {
    const { home, record } = stateFolderOfTest();
    await record("s1", conversation());
    const { code, stderr } = await runHere(["audit", ...argv], { home });
    expect(code).toBe(2);
    expect(stderr).toContain("head");
  });

  test("audit verify of nothing is intact", async () => {
    const { code, stdout } = await runHere(["audit", "verify", "--json"], { home: makeFolder() });
    expect(code).toBe(0);
    expect(parse(stdout)).toEqual({ v: 1, isIntact: true, sessions: [] });
  });
});

describe("toolmap sessions purge", () => {
  test("sessions purge removes nothing without a terminal and without --yes", async () => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    const { code, stderr } = await runHere(["sessions", "purge", "s1"], { home });
    expect(code).toBe(2);
    expect(stderr).toContain("--yes");
    expect(existsSync(journalOf("s1"))).toBe(true);
  });

  test("sessions purge has to be told which sessions", async () => {
    const { home } = stateFolderOfTest();
    const { code, stderr } = await runHere(["sessions", "purge", "--yes"], { home });
    expect(code).toBe(2);
    expect(stderr).toContain("--older-than");
  });

  test.each([
    ["y\n", false],
    ["\n", true],
    ["no\n", true],
    ["", true],
  ])("sessions purge asks on a terminal, shows what would go, and takes %j", async (typed, stays) => {
    const { home, record, journalOf } = stateFolderOfTest();
    await record("s1", conversation("Look at a.md"));
    const host = fakeHost({ isTTY: true, env: { TOOLMAP_HOME: home, NO_COLOR: "1" } });
    host.stdin.end(typed);
    const { code, stdout, stderr } = await runHere(["sessions", "purge", "s1"], { home, host });
    expect(code).toBe(0);
    expect(stderr).toMatch(/s1 +closed .+Look at a\.md\nRemove 1 session, .+\? \[y\/N\]/);
    expect(stdout).toBe(stays ? "" : "removed  s1\n");
    expect(existsSync(journalOf("s1"))).toBe(stays);
  });

  test("sessions purge --older-than and --keep remove those for which both speak", async () => {
    const { home, record } = stateFolderOfTest();
    for (const age of [0, 10, 40, 50]) await record(`d${age}`, conversation(), { at: Date.now() - age * DAY });
    const keeping = await runHere(["sessions", "purge", "--older-than", "30d", "--keep", "3", "--yes", "--json"], {
      home,
    });
    expect(parse(keeping.stdout)).toMatchObject({ removed: [{ id: "d50" }], left: [] });
    const older = await runHere(["sessions", "purge", "--older-than", "30d", "--yes"], { home });
    expect(older.stdout).toBe("removed  d40\n");
    const named = await runHere(["sessions", "purge", "d0", "--older-than", "5d", "--yes"], { home });
    expect(named).toMatchObject({ code: 1, stdout: "left     d0  It is too new to go.\n" });
    const rest = await runHere(["sessions", "purge", "--keep", "0", "--yes"], { home });
    expect(rest).toMatchObject({ code: 0, stdout: "removed  d0\nremoved  d10\n" });
  });

  test("sessions purge never removes a session that is open", async () => {
    const { home, record, store, journalOf } = stateFolderOfTest();
    await record("s1", conversation());
    await record("s2", conversation());
    const lease = await store.ports.lock.open("s1");
    const named = await runHere(["sessions", "purge", "s1", "--yes"], { home });
    expect(named).toMatchObject({ code: 1, stdout: `left     s1  It is open in process ${process.pid}.\n` });
    const all = await runHere(["sessions", "purge", "--keep", "0", "--yes"], { home });
    expect(all.code).toBe(0);
    expect(all.stdout).toContain("removed  s2\n");
    expect(existsSync(journalOf("s1"))).toBe(true);
    await lease.release();
  });
});
