import {
  type AgentTool,
  createAgentSession,
  type JsonObject,
  type Message,
  type ModelPart,
  type SessionOptions,
} from "toolmap";
import { manualClock, memoryPorts, type ScriptedTurn, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import type { JournalPort } from "../../../src/core/dispatch/ports.ts";
import { gate, makeTool, settle, textOf } from "../../support/tools.ts";
import { transcriptFault } from "../../support/transcript-fault.ts";

/** A new journal with the entries up to the first that fits, as a process that died right after it left them. */
function upTo(entries: readonly JsonObject[], fits: (entry: JsonObject) => boolean): Record {
  return holding(entries.slice(0, entries.findIndex(fits) + 1));
}

interface Record extends JournalPort {
  readonly entries: JsonObject[];
}

function holding(entries: readonly JsonObject[]): Record {
  const all = [...entries];
  return {
    entries: all,
    append: async (entry) => void all.push(JSON.parse(JSON.stringify(entry)) as JsonObject),
    read: async () => [...all],
  };
}

type Options = Omit<SessionOptions, "id" | "ports" | "resume">;

/** Lets a first process say these answers, and gives its record. */
async function recordOf(turns: readonly ScriptedTurn[], options: Options): Promise<readonly JsonObject[]> {
  const { journal } = memoryPorts();
  const model = scriptedModel([...turns, { text: "done" }]);
  const session = await createAgentSession({ id: "s", ports: { journal }, model, ...options });
  await session.prompt("go");
  await session.close();
  return journal.entries;
}

const HOLDS_ITSELF: { self?: unknown } = {};
HOLDS_ITSELF.self = HOLDS_ITSELF;

const isIntentOf =
  (id: string) =>
  ({ type, callId }: JsonObject): boolean =>
    type === "intent" && callId === id;

const outcomesIn = (messages: readonly Message[] | undefined): string[] =>
  (messages ?? []).flatMap((message) =>
    message.role === "tool" ? message.results.map(({ callId, outcome }) => `${callId} ${outcome}`) : [],
  );

/** A tool whose every effect is counted under its idempotency key. */
function counted(name: string, annotations?: AgentTool["descriptor"]["annotations"]): AgentTool & { keys: string[] } {
  const keys: string[] = [];
  const tool = makeTool(name, (_, { idempotencyKey }) => void keys.push(idempotencyKey), {
    ...(annotations ? { annotations } : {}),
  });
  return Object.assign(tool, { keys });
}

describe("resume", () => {
  describe("a call that had started, may run again, and does not", () => {
    const cases: readonly (readonly [string, Options, { readonly aborted?: boolean }])[] = [
      ["the prompt is aborted before it starts", {}, { aborted: true }],
      ["policy asks for it now and nobody approves", { policy: [{ name: "later", ask: ["put"] }] }, {}],
      ["a hook fails now", { hooks: [{ name: "later", beforeToolCall: () => Promise.reject(new Error("no")) }] }, {}],
      ["a hook blocks it now", { hooks: [{ name: "later", beforeToolCall: () => ({ block: "no" }) }] }, {}],
    ];
    test.each(cases)("stays one that may have run: %s", async (_, later, { aborted = false }) => {
      const put = counted("put", { idempotentHint: true });
      const entries = await recordOf([{ calls: [{ id: "a", name: "put", input: { n: 1 } }] }], { tools: [put] });
      const journal = upTo(entries, isIntentOf("a"));
      const session = await createAgentSession({
        id: "s",
        resume: true,
        tools: [put],
        ports: { journal },
        model: scriptedModel([{ text: "done" }]),
        ...later,
      });
      const { results } = await session.prompt("and?", aborted ? { signal: AbortSignal.abort() } : {});
      expect(put.keys).toHaveLength(1);
      expect(results.map(({ outcome }) => outcome)).toEqual(["interrupted"]);
      expect(textOf(results[0] ?? { content: [] })).toContain("may have");
      await session.close();
      expect(journal.entries.filter(({ type }) => type === "outcome")).toMatchObject([{ outcome: "interrupted" }]);
    });
  });

  test("a call of a program that may run again runs under its own key when its id is given again, and blocks no other", async () => {
    const put = counted("put", { idempotentHint: true });
    const { journal } = memoryPorts();
    const first = await createAgentSession({ id: "s", tools: [put], ports: { journal } });
    const { callId } = await first.dispatch({ name: "put", input: { n: 1 } });
    const entries = upTo(journal.entries, isIntentOf(callId)).entries;
    const open = () =>
      createAgentSession({ id: "s", resume: true, tools: [put], ports: { journal: holding(entries) } });
    await (await open()).dispatch({ name: "put", input: { n: 2 } });
    expect(put.keys[1]).not.toBe(put.keys[0]);
    await (await open()).dispatch({ id: callId, name: "put", input: '{ "n": 1 }' });
    expect(put.keys[2]).toBe(put.keys[0]);
    // Another call that happens to have its id is another call.
    await (await open()).dispatch({ id: callId, name: "put", input: { n: 3 } });
    expect(put.keys[3]).toBe(`${put.keys[0]}#2`);
  });

  test("identical calls that wait for one approval are asked for again together", async () => {
    const pay = counted("pay");
    const options = { tools: [pay], policy: [{ name: "careful", ask: ["pay"] }] };
    const { journal } = memoryPorts();
    const first = await createAgentSession({
      id: "s",
      ports: { journal, clock: manualClock() },
      model: scriptedModel([{ calls: ["a", "b"].map((id) => ({ id, name: "pay", input: { sum: 1 } })) }]),
      approver: { ask: () => new Promise(() => undefined) },
      ...options,
    });
    void first.prompt("go");
    await settle();
    const model = scriptedModel([{ text: "done" }]);
    let asked = 0;
    const session = await createAgentSession({
      id: "s",
      resume: true,
      ports: { journal: holding(journal.entries) },
      model,
      approver: { ask: async () => ((asked += 1), { answer: "approved" }) },
      ...options,
    });
    await session.prompt("and?");
    expect(outcomesIn(model.requests[0]?.messages)).toEqual(["a ok", "b ok"]);
    expect([asked, pay.keys.length]).toEqual([1, 2]);
  });

  test("a process that dies while it goes on leaves a record that can be taken up again, under the same keys", async () => {
    const put = counted("put", { idempotentHint: true });
    const entries = await recordOf([{ calls: [{ id: "a", name: "put" }] }], { tools: [put] });
    let record = upTo(entries, isIntentOf("a"));
    for (let deaths = 0; deaths < 3; deaths += 1) {
      const found = record.entries.length;
      const session = await createAgentSession({
        id: "s",
        resume: true,
        tools: [put],
        ports: { journal: record },
        model: scriptedModel([{ text: "done" }]),
      });
      await session.prompt("and?");
      const again = record.entries.findIndex((entry, at) => at >= found && isIntentOf("a")(entry));
      record = holding(record.entries.slice(0, again + 1));
    }
    expect(put.keys).toEqual(["s:a", "s:a", "s:a", "s:a"]);
  });

  test("an answer that was left open in the middle of a record is closed where it stands", async () => {
    const put = counted("put", { idempotentHint: true });
    const entries = await recordOf(
      [
        {
          calls: [
            { id: "a", name: "put" },
            { id: "b", name: "put" },
          ],
        },
      ],
      { tools: [put] },
    );
    const journal = upTo(entries, isIntentOf("a"));
    // Somebody begins anew under the same id, without taking the conversation up.
    const other = await createAgentSession({
      id: "s",
      tools: [put],
      ports: { journal },
      model: scriptedModel([{ text: "hello" }]),
    });
    await other.prompt("something else");
    await other.close();
    const before = put.keys.length;
    const model = scriptedModel([{ text: "done" }]);
    const session = await createAgentSession({ id: "s", resume: true, tools: [put], ports: { journal }, model });
    await session.prompt("and?");
    const messages = model.requests[0]?.messages ?? [];
    expect(transcriptFault(messages)).toBeUndefined();
    expect(outcomesIn(messages)).toEqual(["a interrupted", "b cancelled"]);
    expect(put.keys).toHaveLength(before);
  });

  test("EXE-08 a record holds bounded output, of what answered and of what came too late", async () => {
    const flood = "x".repeat(4_000_000);
    const clock = manualClock();
    const late = gate();
    const { journal } = memoryPorts();
    const tools = [
      makeTool("flood", (_, { progress }) => {
        for (let line = 0; line < 100; line += 1) progress({ message: flood.slice(0, 100_000) });
        return { content: [{ type: "text", text: flood }], structuredContent: { flood } };
      }),
      makeTool("slow", () => late.opened.then(() => ({ flood })), { rest: { timeoutMs: 10 } }),
      makeTool("slower", () => late.opened.then(() => Promise.reject(new Error(flood))), { rest: { timeoutMs: 10 } }),
    ];
    const session = await createAgentSession({
      id: "s",
      tools,
      ports: { journal, clock },
      model: scriptedModel([
        { calls: ["flood", "slow", "slower"].map((name) => ({ id: name, name })) },
        { text: "done" },
      ]),
    });
    const run = session.prompt("go");
    await clock.advance(10);
    late.open();
    await run;
    await settle();
    expect(journal.entries.filter(({ type }) => type === "settled-late")).toHaveLength(2);
    for (const entry of journal.entries) expect(JSON.stringify(entry).length).toBeLessThan(100_000);
    const model = scriptedModel([{ text: "done" }]);
    const resumed = await createAgentSession({ id: "s", resume: true, tools, ports: { journal }, model });
    await resumed.prompt("and?");
    expect(outcomesIn(model.requests[0]?.messages)).toEqual(["flood ok", "slow timed-out", "slower timed-out"]);
  });

  test.each([
    ["an input that holds itself", { type: "tool-call", call: { id: "a", name: "t", input: HOLDS_ITSELF } }],
    ["an input with a bigint", { type: "tool-call", call: { id: "a", name: "t", input: { n: 1n } } }],
    ["an input that is a function", { type: "tool-call", call: { id: "a", name: "t", input: () => 1 } }],
    ["metadata that hold themselves", { type: "tool-call", call: { id: "a", name: "t" }, meta: HOLDS_ITSELF }],
    ["something of its own that holds itself", { type: "other", value: HOLDS_ITSELF }],
  ])("a model that says %s costs the session neither its record nor its later requests", async (_, part) => {
    const { journal } = memoryPorts();
    const tools = [makeTool("t", () => "ran", { schema: { type: "object", properties: { n: { type: "integer" } } } })];
    const said = part as unknown as ModelPart; // a model that breaks its contract
    const options = { id: "s", tools, ports: { journal } };
    const first = await createAgentSession({
      ...options,
      model: scriptedModel([{ parts: [said] }, ...(part.type === "other" ? [] : [{ text: "done" }])]),
    });
    expect((await first.prompt("go")).stop).toBe("end");
    expect(first.plan().warnings).toEqual([]);
    await first.close();
    const model = scriptedModel([{ text: "done" }]);
    const session = await createAgentSession({ ...options, resume: true, model });
    await session.prompt("and?");
    const messages = model.requests[0]?.messages ?? [];
    expect(transcriptFault(messages)).toBeUndefined();
    expect(messages).toEqual(JSON.parse(JSON.stringify(messages)));
    expect(messages.filter(({ role }) => role === "assistant").length).toBeGreaterThan(0);
  });

  test("SES-03 a record that ends with everything answered and was never closed goes on at once", async () => {
    const entries = await recordOf([{ calls: [{ id: "a", name: "t" }] }], { tools: [makeTool("t")] });
    const journal = upTo(entries, ({ type, callId }) => type === "outcome" && callId === "a");
    const model = scriptedModel([{ text: "hello" }]);
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools: [makeTool("t")],
      ports: { journal },
      model,
    });
    expect(session.plan().warnings).toEqual([]);
    expect(await session.prompt("and?")).toMatchObject({ stop: "end", text: "hello" });
    expect(outcomesIn(model.requests[0]?.messages)).toEqual(["a ok"]);
  });

  test("an approval that was prepared in a process that died is given in the next one, once", async () => {
    const pay = counted("pay");
    const { journal } = memoryPorts();
    const open = (resume: boolean) =>
      createAgentSession({
        id: "s",
        resume,
        tools: [pay],
        ports: { journal },
        policy: [{ name: "careful", ask: ["pay"] }],
      });
    const call = { id: "p", name: "pay", input: { sum: 1 } };
    const prepared = await (await open(false)).prepare(call);
    const approval = { answer: "approved" as const, prepared };
    expect(await (await open(true)).dispatch(call, { approval })).toMatchObject({ callId: "p", outcome: "ok" });
    expect(await (await open(true)).dispatch(call, { approval, once: true })).toMatchObject({
      callId: "p",
      outcome: "ok",
    });
    expect(await (await open(true)).dispatch(call, { approval })).toMatchObject({ outcome: "rejected" });
    expect(pay.keys).toEqual(["s:p"]);
  });

  test("once answers from the record after 5,000 other calls", async () => {
    const pay = counted("pay");
    const { journal } = memoryPorts();
    const open = () => createAgentSession({ id: "s", tools: [pay], ports: { journal } });
    const first = await open();
    const call = { id: "p", name: "pay", input: { sum: 1 } };
    await first.dispatch(call);
    await first.dispatchBatch(Array.from({ length: 5000 }, (_, at) => ({ id: `o${at}`, name: "pay", input: {} })));
    for (const session of [first, await open()]) {
      expect(await session.dispatch(call, { once: true })).toMatchObject({ callId: "p", outcome: "ok" });
    }
    expect(pay.keys.filter((key) => key === "s:p")).toHaveLength(1);
  });

  test("a lock that is lost ends running calls, starts nothing more, reads neither, and is told", async () => {
    const { journal, lock } = memoryPorts();
    const running = gate();
    const look = counted("look", { readOnlyHint: true });
    const session = await createAgentSession({
      id: "s",
      tools: [makeTool("slow", () => running.opened), look],
      ports: { journal, lock, clock: manualClock() },
    });
    const slow = session.dispatch({ id: "a", name: "slow" });
    await settle();
    lock.lose("s");
    expect((await slow).outcome).toBe("cancelled");
    const written = journal.entries.length;
    expect((await session.dispatch({ name: "look" })).outcome).toBe("unavailable");
    expect((await session.dispatch({ name: "slow" })).outcome).toBe("unavailable");
    expect(session.plan().warnings.map(({ code }) => code)).toContain("session-degraded");
    expect(look.keys).toEqual([]);
    // The record is the other process's now: nothing more of this one comes into it.
    running.open();
    await settle();
    expect(journal.entries).toHaveLength(written);
    const other = await createAgentSession({ id: "s", resume: true, tools: [look], ports: { journal, lock } });
    expect((await other.dispatch({ id: "a", name: "slow" }, { once: true })).callId).toBe("a#2");
    expect(other.plan().warnings.map(({ code }) => code)).toEqual(["call-interrupted"]);
    await other.close();
  });
});
