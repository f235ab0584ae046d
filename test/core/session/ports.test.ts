import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAgentSession, type JournalPort, type SessionEvent } from "toolmap";
import { builtinTools } from "toolmap/builtin";
import { memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { fakeSource, makeTool, settle, textOf } from "../../support/tools.ts";

describe("journal", () => {
  test("the intent stands before the effect, the outcome after it, each under its session and call", async () => {
    const { journal } = memoryPorts();
    const order: string[] = [];
    const session = await createAgentSession({
      id: "s",
      ports: { journal },
      tools: [
        makeTool("pay", () => void order.push(`ran after ${journal.entries.map(({ type }) => String(type)).join()}`)),
      ],
    });
    await session.dispatch({ id: "c", name: "pay", input: { sum: 1 } });
    expect(order).toEqual(["ran after session-opened,intent"]);
    expect(journal.entries).toMatchObject([
      { type: "session-opened", session: "s", isResumed: false },
      { type: "intent", session: "s", callId: "c", name: "pay", input: { sum: 1 } },
      { type: "outcome", session: "s", callId: "c", outcome: "ok" },
    ]);
  });

  const failing = (at: string): JournalPort => ({
    append: (entry) => (entry["type"] === at ? Promise.reject(new Error("disk full")) : Promise.resolve()),
  });

  test("a journal that fails before the effect keeps the call from running", async () => {
    let ran = 0;
    const session = await createAgentSession({
      ports: { journal: failing("intent") },
      tools: [makeTool("pay", () => (ran += 1))],
    });
    const result = await session.dispatch({ name: "pay" });
    expect(result.outcome).toBe("error");
    expect(textOf(result)).toContain("disk full");
    expect(ran).toBe(0);
  });

  test("a journal that fails after the effect leaves the real result, and then only what reads may run", async () => {
    const session = await createAgentSession({
      ports: { journal: failing("outcome") },
      tools: [makeTool("pay", () => "paid"), makeTool("look", () => "seen", { annotations: { readOnlyHint: true } })],
    });
    const events: SessionEvent["type"][] = [];
    session.observe(({ type }) => events.push(type));
    expect(textOf(await session.dispatch({ name: "pay" }))).toBe("paid");
    expect(events).toContain("session-degraded");
    const refused = await session.dispatch({ name: "pay" });
    expect(refused.outcome).toBe("unavailable");
    expect(textOf(refused)).toContain("disk full");
    expect((await session.dispatch({ name: "look" })).outcome).toBe("ok");
  });

  test("an abort after the intent and before the effect is cancelled, and an outcome is on record", async () => {
    const { journal } = memoryPorts();
    let ran = 0;
    const session = await createAgentSession({
      tools: [makeTool("pay", () => (ran += 1))],
      ports: {
        journal: {
          append: async (entry, options) => {
            if (entry["type"] === "intent") session.abort();
            await journal.append(entry, options);
          },
        },
      },
    });
    expect((await session.dispatch({ name: "pay" })).outcome).toBe("cancelled");
    expect(ran).toBe(0);
    expect(journal.entries.map(({ type, outcome }) => [type, outcome])).toEqual([
      ["session-opened", undefined],
      ["intent", undefined],
      ["outcome", "cancelled"],
    ]);
  });

  test("what a late executor returns is on record as settled-late", async () => {
    const { journal } = memoryPorts();
    let end = (): void => undefined;
    const session = await createAgentSession({
      ports: { journal },
      tools: [
        makeTool(
          "slow",
          () =>
            new Promise((resolve) => {
              end = () => resolve("too late");
            }),
          { rest: { timeoutMs: 20 } },
        ),
      ],
    });
    expect((await session.dispatch({ name: "slow" })).outcome).toBe("timed-out");
    end();
    await settle();
    expect(journal.entries.map(({ type }) => type)).toEqual(["session-opened", "intent", "outcome", "settled-late"]);
  });
});

describe("secrets", () => {
  const key = 'k"e\\y/ä+secret';
  const spellings = [
    key,
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key),
    Buffer.from(key).toString("base64").replace(/=+$/, ""),
  ];

  test("a secret's value is masked in content, structure, notes, progress, errors and journal, however it is spelt", async () => {
    const { journal, secrets } = memoryPorts({ secrets: { api: key } });
    const seen: string[] = [];
    const leak = makeTool("leak", async (_, { secret, progress }) => {
      const value = await secret("api");
      progress({ message: `using ${value}` });
      return {
        content: spellings.map((text) => ({ type: "text", text: `<${text}>` })),
        structuredContent: { [value]: [value] },
      };
    });
    const broken = makeTool("broken", async (_, { secret }) => {
      throw new Error(`401 for ${await secret("api")}`);
    });
    const session = await createAgentSession({ ports: { journal, secrets }, tools: [leak, broken] });
    session.observe((event) => seen.push(JSON.stringify(event)));
    const results = [await session.dispatch({ name: "leak" }), await session.dispatch({ name: "broken" })];
    const everything = [
      ...results.map((result) => JSON.stringify(result)),
      ...seen,
      JSON.stringify(journal.entries),
    ].join("\n");
    for (const spelling of spellings) expect(everything).not.toContain(spelling);
    expect(textOf(results[0] ?? { content: [] })).toBe(spellings.map(() => "<[secret api]>").join("\n"));
    expect(textOf(results[1] ?? { content: [] })).toBe("401 for [secret api]");
  });

  test("a secret that is missing or empty is told to the tool as an error with a code", async () => {
    const codes: unknown[] = [];
    const ask = makeTool("ask", async (_, { secret }) => {
      for (const name of ["none", "empty"])
        await secret(name).catch((error: { code: string }) => codes.push(error.code));
    });
    const session = await createAgentSession({ ports: memoryPorts({ secrets: { empty: "" } }), tools: [ask] });
    await session.dispatch({ name: "ask" });
    expect(codes).toEqual(["unknown-secret", "unknown-secret"]);
  });
});

describe("the cap", () => {
  const FIVE_MB = 5 * 1024 * 1024;
  const owners = [{ kind: "custom" }, { kind: "plugin", pluginId: "p" }, { kind: "mcp", serverId: "m" }] as const;

  test.each(owners)(
    "RES-01 output of $kind tools has one cap: head and tail, and how much is missing",
    async (owner) => {
      const big = makeTool("big", () => `begin ${"x".repeat(FIVE_MB)} end`, { owner });
      const options =
        owner.kind === "custom"
          ? { tools: [big] }
          : { sources: [fakeSource("s", owner.kind, { state: "ready", tools: [big] })] };
      const session = await createAgentSession({ ...options, defaults: { ask: "never" } });
      const text = textOf(await session.dispatch({ name: "big" }));
      expect(Buffer.byteLength(text)).toBeLessThan(70_000);
      expect(text.startsWith("begin")).toBe(true);
      expect(text.endsWith("end")).toBe(true);
      expect(text).toContain(String(FIVE_MB + 10));
    },
  );

  test.each([
    ["lines", Array.from({ length: 9000 }, (_, at) => `line ${at} äöü`).join("\n")],
    ["one long line", "0123456789".repeat(20_000)],
    ["characters of two units", "😀é".repeat(30_000)],
  ])("RES-03 the hint can be followed to the end of %s with no gap and no overlap", async (_, whole) => {
    const { spill } = memoryPorts();
    const root = mkdtempSync(path.join(tmpdir(), "toolmap-spill-"));
    const session = await createAgentSession({
      tools: [makeTool("big", () => whole)],
      sources: [builtinTools({ root, spill })],
      ports: { spill },
    });
    const first = textOf(await session.dispatch({ name: "big" }));
    const [head = "", rest = ""] = first.split("\n[cut] ");
    let read = head;
    let next = hintOf(rest);
    for (let page = 0; next !== undefined && page < 200; page += 1) {
      const text = textOf(await session.dispatch({ name: "read", input: next }));
      const lines = text
        .split("\n")
        .filter((line) => /^\s*\d+→/.test(line))
        .map((line) => line.replace(/^\s*\d+→/, ""));
      read += (next.column === undefined && read !== "" && !read.endsWith("\n") ? "\n" : "") + lines.join("\n");
      next = hintOf(text);
    }
    expect(next).toBeUndefined();
    expect(read.replaceAll("\n", "")).toBe(whole.replaceAll("\n", ""));
  });

  test("where read is not visible the marker says how much was cut and names no tool", async () => {
    const { spill } = memoryPorts();
    const session = await createAgentSession({ tools: [makeTool("big", () => "x".repeat(FIVE_MB))], ports: { spill } });
    const result = await session.dispatch({ name: "big" });
    expect(textOf(result)).not.toMatch(/call read/);
    expect(result.details?.spill).toMatchObject({ bytes: FIVE_MB });
  });

  test("a spill port that fails costs the rest, not the result", async () => {
    const session = await createAgentSession({
      tools: [makeTool("big", () => "x".repeat(FIVE_MB))],
      ports: { spill: { write: () => Promise.reject(new Error("no room")), read: async () => "" } },
    });
    const result = await session.dispatch({ name: "big" });
    expect(result.outcome).toBe("ok");
    expect(result.details?.notes?.join()).toContain("no room");
  });

  test("TRN-08 a cut never splits a character, and lone surrogates never leave", async () => {
    const session = await createAgentSession({
      tools: [makeTool("emoji", () => `a${"😀".repeat(100_000)}`), makeTool("lone", () => "x\ud83dy")],
    });
    for (const name of ["emoji", "lone"]) {
      const text = textOf(await session.dispatch({ name }));
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

/** The next call that a text says how to make. */
function hintOf(
  text: string,
): { readonly path: string; readonly offset: number; readonly column?: number } | undefined {
  const [json] = /\{"path":"spill:[^}]*\}/.exec(text) ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as { path: string; offset: number; column?: number });
}
