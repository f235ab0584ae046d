import fc from "fast-check";
import { type AgentTool, createAgentSession, type JsonObject, type JsonValue, type Message } from "toolmap";
import { memoryPorts, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import type { JournalPort } from "../../../src/core/dispatch/ports.ts";
import { makeTool } from "../../support/tools.ts";
import { transcriptFault } from "../../support/transcript-fault.ts";

/** A journal that holds these entries for every session, whatever they are. */
function holding(entries: readonly unknown[]): JournalPort & { readonly entries: unknown[] } {
  const all = [...entries];
  return {
    entries: all,
    append: async (entry) => void all.push(JSON.parse(JSON.stringify(entry))),
    read: async () => [...all] as JsonObject[], // what a damaged file holds may be anything
  };
}

/** Resumes a record, prompts once, and gives what the model was sent. */
async function sentAfterResume(
  journal: JournalPort,
  tools: readonly AgentTool[] = [
    makeTool("t"),
    makeTool("look", () => "seen", { annotations: { readOnlyHint: true } }),
  ],
): Promise<readonly Message[]> {
  const model = scriptedModel([{ text: "done" }]);
  const session = await createAgentSession({
    id: "s",
    resume: true,
    tools,
    ports: { journal },
    model,
    defaults: { ask: "never" },
  });
  const run = await session.prompt("and?");
  expect(run.stop).toBe("end");
  await session.close();
  model.assertPlayed();
  return model.requests[0]?.messages ?? [];
}

/** A conversation of two answers with calls, of a process that ended in good order. */
async function goodRecord(): Promise<readonly JsonObject[]> {
  const { journal } = memoryPorts();
  const session = await createAgentSession({
    id: "s",
    tools: [makeTool("t"), makeTool("look", () => "seen", { annotations: { readOnlyHint: true } })],
    ports: { journal },
    model: scriptedModel([
      {
        text: "first",
        calls: [
          { id: "a", name: "t" },
          { id: "b", name: "look" },
        ],
      },
      { calls: [{ id: "c", name: "t" }] },
      { text: "done" },
    ]),
  });
  await session.prompt("go");
  await session.close();
  return journal.entries;
}

const outcomesIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === "tool" ? message.results.map(({ callId, outcome }) => `${callId} ${outcome}`) : [],
  );

/** Anything that JSON can say, with the names that entries have, so that much of it is nearly an entry. */
const NEARLY_ENTRY: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(
      ...["type", "callId", "name", "outcome", "content", "message", "input", "given", "turn", "text", "key", "value"],
      ...["use", "expiresAt", "details", "structuredContent", "session", "__proto__", "constructor"],
    ),
    fc.oneof(
      fc.constantFrom<JsonValue>(
        ...["message", "intent", "outcome", "approval-requested", "approval-used", "state", "call-noted"],
        ...["a", "b", "c", "t", "look", "ok", "error", "", "__proto__", "call_7"],
      ),
      fc.constantFrom<JsonValue>(
        { role: "user", content: [] },
        { role: "user", content: [{ type: "text", text: "hi" }] },
        { role: "assistant", parts: [] },
        { role: "assistant", parts: [{ type: "tool-call", call: { id: "a", name: "t", input: {} } }] },
        { role: "assistant", parts: [{ type: "tool-call", call: { id: "", name: "" } }] },
        { role: "assistant", parts: [{ type: "tool-call", call: { id: "x", name: "look" } }, { type: "text" }] },
        { role: "tool", results: [] },
        [{ type: "text", text: "" }],
        [null],
        [],
      ),
      fc.jsonValue({ maxDepth: 2 }),
    ),
    { maxKeys: 6 },
  ),
);

describe("resume", () => {
  test("entries of any shape, anywhere in a record, break neither the session nor its transcript", async () => {
    const good = await goodRecord();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: good.length }), NEARLY_ENTRY), { minLength: 1, maxLength: 8 }),
        async (odd) => {
          const entries: unknown[] = [...good];
          for (const [at, entry] of odd) entries.splice(at, 0, entry);
          expect(transcriptFault(await sentAfterResume(holding(entries)))).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });

  test("entries that are lost, doubled or out of their order leave a transcript that providers take", async () => {
    const good = await goodRecord();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...good), { minLength: 1, maxLength: 24 }), async (entries) => {
        expect(transcriptFault(await sentAfterResume(holding(entries)))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test.each([null, 7, "text", [], [null], undefined])("an entry that is %j is passed over", async (entry) => {
    const good = await goodRecord();
    expect(outcomesIn(await sentAfterResume(holding([entry, ...good, entry])))).toEqual(["a ok", "b ok", "c ok"]);
  });

  test("an entry that is nested without end is passed over", async () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as JsonValue;
    const good = await goodRecord();
    const odd = [
      { type: "message", message: { role: "user", content: [{ type: "text", text: "x", deep }] } },
      { type: "message", message: { role: "assistant", parts: [{ type: "other", value: deep }] } },
      {
        type: "outcome",
        callId: "z",
        name: "t",
        outcome: "ok",
        content: [{ type: "text", text: "x" }],
        details: { deep },
      },
      { type: "state", key: "deep", value: deep },
    ];
    expect(outcomesIn(await sentAfterResume(holding([...odd, ...good])))).toEqual(["a ok", "b ok", "c ok"]);
  });

  test("a turn that no session could have counted is not counted on from", async () => {
    const good = await goodRecord();
    const odd = [-1, 0.5, 1e300, 2 ** 53].map((turn) => ({ type: "message", turn }));
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools: [makeTool("t")],
      ports: { journal: holding([...good, ...odd]) },
      model: scriptedModel([{ text: "done" }]),
    });
    const turns: unknown[] = [];
    session.observe(({ type, turn }) => type === "turn-started" && turns.push(turn));
    await session.prompt("and?");
    expect(turns).toEqual([4]);
  });

  test("a call whose outcome is on record and cannot be read may have run: it is interrupted", async () => {
    const good = await goodRecord();
    const entries = good
      .filter((entry) => entry["type"] !== "intent" || entry["callId"] !== "c")
      .map((entry) =>
        entry["type"] === "outcome" && entry["callId"] === "c" ? { ...entry, outcome: "splendid" } : entry,
      );
    expect(outcomesIn(await sentAfterResume(holding(entries)))).toEqual(["a ok", "b ok", "c interrupted"]);
  });

  test("an entry that a writer wrote twice is one message, and the call that it left open goes on once", async () => {
    const good = await goodRecord();
    const twice = good
      .slice(0, good.findIndex(({ type, callId }) => type === "intent" && callId === "b") + 1)
      .flatMap((entry) => [entry, entry]);
    const messages = await sentAfterResume(holding(twice));
    expect(transcriptFault(messages)).toBeUndefined();
    expect(outcomesIn(messages).at(-1)).toBe("b ok");
  });
});
