import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createAgentSession, type SessionEvent } from "toolmap";
import { createSessionStore, type SessionStore } from "toolmap/journal";
import { describe, expect, test } from "vitest";
import { assembleStore } from "../../src/journal/session-store.ts";
import { type DiskOperation, simulatedDisk } from "../support/simulated-disk.ts";
import { makeTool, textOf } from "../support/tools.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const tools = (effects: string[]) => [
  makeTool("pay", ({ sum }) => effects.push(`paid ${String(sum)}`)),
  makeTool("look", () => "seen", { annotations: { readOnlyHint: true } }),
];

async function sessionIn(store: SessionStore, effects: string[], id = "s") {
  const events: SessionEvent[] = [];
  const session = await createAgentSession({ id, tools: tools(effects), ports: store.ports });
  session.observe((event) => events.push(event));
  return { session, events };
}

function refusing(code: string): { store: SessionStore; refuse: (operations: readonly DiskOperation[]) => void } {
  let refused: readonly DiskOperation[] = [];
  const disk = simulatedDisk({ now: Date.now, random: () => 0 });
  const store = assembleStore(
    {
      folder: "/s",
      disk: disk.as((operation) => {
        if (refused.includes(operation)) throw Object.assign(new Error(code), { code });
      }),
    },
    {},
  );
  return { store, refuse: (operations) => (refused = operations) };
}

describe("a session whose record cannot be written", () => {
  test.each([
    ["ENOSPC", "the disk is full"],
    ["EROFS", "read-only"],
    ["EIO", "the disk failed"],
  ])("does not run a call that would have an effect, and says why and the way out: %s", async (code, words) => {
    const effects: string[] = [];
    const { store, refuse } = refusing(code);
    const { session } = await sessionIn(store, effects);
    expect((await session.dispatch({ name: "pay", input: { sum: 1 } })).outcome).toBe("ok");
    refuse(["append"]);
    const result = await session.dispatch({ name: "pay", input: { sum: 2 } });
    expect(result.outcome).toBe("error");
    expect(textOf(result)).toContain(words);
    expect(effects).toEqual(["paid 1"]);
    refuse([]);
    expect((await session.dispatch({ name: "pay", input: { sum: 3 } })).outcome).toBe("ok");
    await session.close();
    const { entries, problems } = await store.readSession("s");
    expect(problems).toEqual([]);
    expect(entries.filter(({ type, outcome }) => type === "outcome" && outcome === "ok")).toHaveLength(2);
  });

  test("keeps the real result when the outcome cannot be written, and then runs only what reads", async () => {
    const effects: string[] = [];
    const { store, refuse } = refusing("ENOSPC");
    const events: string[] = [];
    const session = await createAgentSession({
      id: "s",
      tools: [
        makeTool("pay", () => {
          refuse(["append"]);
          return "paid";
        }),
        ...tools(effects).slice(1),
      ],
      ports: store.ports,
    });
    session.observe(({ type }) => events.push(type));
    expect(textOf(await session.dispatch({ name: "pay" }))).toBe("paid");
    expect(events).toContain("session-degraded");
    expect(session.plan().warnings).toContainEqual(expect.objectContaining({ code: "session-degraded" }));
    refuse([]);
    expect((await session.dispatch({ name: "pay" })).outcome).toBe("unavailable");
    expect((await session.dispatch({ name: "look" })).outcome).toBe("ok");
    await session.close();
    const again = await createAgentSession({ id: "s", tools: tools(effects), ports: store.ports });
    expect(again.plan().warnings.map(({ code }) => code)).toEqual(["call-interrupted"]);
    expect((await again.dispatch({ name: "pay", input: { sum: 4 } })).outcome).toBe("ok");
    await again.close();
  });

  test("a sync that fails before the effect keeps the call from running", async () => {
    const effects: string[] = [];
    const { store, refuse } = refusing("EIO");
    const { session } = await sessionIn(store, effects);
    refuse(["sync"]);
    expect((await session.dispatch({ name: "pay", input: { sum: 1 } })).outcome).toBe("error");
    expect(effects).toEqual([]);
    await session.close();
  });

  test("a folder that vanishes, on a real disk: nothing runs without a record, and nothing is brought back half", async () => {
    const folder = temporaryFolder();
    const effects: string[] = [];
    const store = createSessionStore({ folder });
    const { session } = await sessionIn(store, effects);
    expect((await session.dispatch({ name: "pay", input: { sum: 1 } })).outcome).toBe("ok");
    rmSync(path.join(folder, "s"), { recursive: true });
    const result = await session.dispatch({ name: "pay", input: { sum: 2 } });
    expect(result.outcome).toBe("error");
    expect(textOf(result)).toContain("removed while the session was open");
    expect(effects).toEqual(["paid 1"]);
    await session.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("a full disk, a real one: nothing runs without a record", async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "s"));
    symlinkSync("/dev/full", path.join(folder, "s", "journal.jsonl"));
    const effects: string[] = [];
    const { session } = await sessionIn(createSessionStore({ folder }), effects);
    const result = await session.dispatch({ name: "pay", input: { sum: 1 } });
    expect(result.outcome).toBe("error");
    expect(textOf(result)).toContain("the disk is full");
    expect(effects).toEqual([]);
    await session.close();
  });

  test("a file where the folder should be is said when the session opens", async () => {
    const folder = path.join(temporaryFolder(), "sessions");
    writeFileSync(folder, "");
    await expect(sessionIn(createSessionStore({ folder }), [])).rejects.toMatchObject({ code: "journal-failed" });
  });

  test("a session that another process has taken over runs nothing more, not even what reads", async () => {
    const effects: string[] = [];
    const disk = simulatedDisk({ now: Date.now, random: () => 0 });
    const { store } = { store: assembleStore({ folder: "/s", disk, leaseMs: 1000 }, { after: () => () => undefined }) };
    const { session, events } = await sessionIn(store, effects);
    await session.dispatch({ name: "pay", input: { sum: 1 } });
    const [lock = ""] = disk.list("/s/s").filter((name) => name.startsWith("lock-"));
    disk.rename(`/s/s/${lock}`, "/s/s/lock-2-9999999999999-1-0123abcd-other1");
    // The next look at the lease is due once it has run out.
    const later = assembleStore({ folder: "/s", disk, leaseMs: 1000 }, {});
    await expect(later.ports.lock.open("s")).rejects.toMatchObject({ code: "session-open-elsewhere" });
    const now = Date.now;
    Date.now = () => now() + 2000;
    try {
      const late = await session.dispatch({ name: "pay", input: { sum: 2 } });
      expect(late.isError).toBe(true);
      expect((await session.dispatch({ name: "look" })).outcome).toBe("unavailable");
    } finally {
      Date.now = now;
    }
    expect(effects).toEqual(["paid 1"]);
    expect(events.map(({ type }) => type)).toContain("session-degraded");
    await session.close();
  });
});
