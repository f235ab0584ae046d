import { type AgentTool, createAgentSession, type JsonObject, type Message, type Model, type ModelPart } from "toolmap";
import { manualClock, memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import type { JournalPort } from "../../../src/core/dispatch/ports.ts";
import { makeTool, settle, textOf } from "../../support/tools.ts";
import { transcriptFault } from "../../support/transcript-fault.ts";

/** A model that says these parts, an answer at a time, and remembers what it was asked. */
function saying(...answers: readonly (readonly ModelPart[])[]): Model & { readonly asked: (readonly Message[])[] } {
  let next = 0;
  const asked: (readonly Message[])[] = [];
  return {
    asked,
    rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
    async *turn({ messages }) {
      asked.push([...messages]);
      yield* answers[next] ?? [{ type: "text-delta", text: "done" } as const];
      next += 1;
    },
  };
}

const call = (id: string, name: string, input: JsonObject = {}): ModelPart => ({
  type: "tool-call",
  call: { id, name, input },
});

/** The first entries of a record, as a process that died after them left it. */
function cutAfter(entries: readonly JsonObject[], isLast: (entry: JsonObject) => boolean): JournalPort {
  const kept = entries.slice(0, entries.findIndex(isLast) + 1);
  return recordOf(kept);
}

function recordOf(entries: readonly JsonObject[]): JournalPort & { readonly entries: JsonObject[] } {
  const all = [...entries];
  return {
    entries: all,
    append: async (entry) => void all.push(JSON.parse(JSON.stringify(entry)) as JsonObject),
    read: async () => [...all],
  };
}

/** Lets a first process say these answers with these tools, and gives its record. */
async function record(
  tools: AgentTool[],
  ...answers: readonly (readonly ModelPart[])[]
): Promise<readonly JsonObject[]> {
  const { journal } = memoryPorts();
  const session = await createAgentSession({ id: "s", tools, ports: { journal }, model: saying(...answers) });
  await session.prompt("go");
  await session.close();
  return journal.entries;
}

const outcomesIn = (messages: readonly Message[] | undefined): string[] =>
  (messages ?? []).flatMap((message) =>
    message.role === "tool" ? message.results.map(({ callId, outcome }) => `${callId} ${outcome}`) : [],
  );

describe("resume", () => {
  test("goes on with the conversation: messages, results in call order, ids, turns", async () => {
    const entries = await record([makeTool("t", () => "ran")], [call("a", "t"), call("b", "t")], [call("c", "t")]);
    const model = saying();
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools: [makeTool("t")],
      ports: { journal: recordOf(entries) },
      model,
    });
    const turns: (number | undefined)[] = [];
    session.observe((event) => event.type === "turn-started" && turns.push(event.turn));
    await session.prompt("and?");
    const [messages = []] = model.asked;
    expect(transcriptFault(messages)).toBeUndefined();
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(outcomesIn(messages)).toEqual(["a ok", "b ok", "c ok"]);
    expect(turns).toEqual([4]);
  });

  test("SES-01 a call that had started and has no outcome is interrupted, told, on record, and not run again", async () => {
    const tools = [makeTool("pay"), makeTool("t")];
    const entries = await record(tools, [call("a", "t")], [call("b", "pay"), call("c", "pay")]);
    const journal = cutAfter(entries, ({ type, callId }) => type === "intent" && callId === "b");
    let ran = 0;
    for (const expected of [["call-interrupted"], []]) {
      const model = saying();
      const session = await createAgentSession({
        id: "s",
        resume: true,
        tools: [makeTool("pay", () => (ran += 1)), makeTool("t")],
        ports: { journal },
        model,
      });
      expect(session.plan().warnings.map(({ code }) => code)).toEqual(expected);
      await session.prompt("and?");
      expect(outcomesIn(model.asked[0])).toEqual(["a ok", "b interrupted", "c cancelled"]);
      expect(transcriptFault(model.asked[0] ?? [])).toBeUndefined();
      await session.close();
    }
    expect(ran).toBe(0);
  });

  test.each([
    ["read-only", { readOnlyHint: true }, 1],
    ["idempotent", { idempotentHint: true }, 1],
    ["destructive and read-only", { readOnlyHint: true, destructiveHint: true }, 0],
    ["silent", {}, 0],
  ] as const)("a call of a tool that is %s runs again so often, under the same key", async (_, annotations, times) => {
    const keys: string[] = [];
    const tool = makeTool("t", (_, { idempotencyKey }) => void keys.push(idempotencyKey), { annotations });
    const options = { id: "s", tools: [tool], defaults: { ask: "never" as const } };
    const first = memoryPorts().journal;
    await (
      await createAgentSession({ ...options, ports: { journal: first }, model: saying([call("a", "t")]) })
    ).prompt("go");
    const journal = cutAfter(first.entries, ({ type }) => type === "intent");
    const model = saying();
    const session = await createAgentSession({ ...options, resume: true, ports: { journal }, model });
    // Nothing starts before somebody goes on.
    await settle();
    expect(keys).toHaveLength(1);
    await session.prompt("and?");
    expect(keys).toEqual(Array.from({ length: 1 + times }, () => keys[0]));
    expect(outcomesIn(model.asked[0])).toEqual([times > 0 ? "a ok" : "a interrupted"]);
  });

  test("hints of a server or a plugin do not count: its call is not run again", async () => {
    const tool = makeTool("t", () => "ran", {
      owner: { kind: "plugin", pluginId: "p" },
      annotations: { readOnlyHint: true },
    });
    const { journal } = memoryPorts();
    const source = {
      id: "p",
      kind: "plugin" as const,
      list: () => ({ tools: [tool], state: "ready" as const }),
      subscribe: () => () => undefined,
    };
    const options = { id: "s", sources: [source], defaults: { ask: "never" as const } };
    const first = await createAgentSession({ ...options, ports: { journal }, model: saying([call("a", "t")]) });
    await first.prompt("go");
    const model = saying();
    const session = await createAgentSession({
      ...options,
      resume: true,
      ports: { journal: cutAfter(journal.entries, ({ type }) => type === "intent") },
      model,
    });
    await session.prompt("and?");
    expect(outcomesIn(model.asked[0])).toEqual(["a interrupted"]);
  });

  test("an approval that was pending is asked again, bound as before, and its siblings do not run again", async () => {
    const digests: string[] = [];
    const ran: string[] = [];
    const tools = [makeTool("pay", () => void ran.push("pay")), makeTool("t", () => void ran.push("t"))];
    const policy = [{ name: "careful", ask: ["pay"] }];
    const { journal } = memoryPorts();
    const first = await createAgentSession({
      id: "s",
      tools,
      policy,
      ports: { journal, clock: manualClock() },
      model: saying([call("a", "t"), call("b", "pay", { sum: 1 })]),
      approver: {
        ask: ({ digest }) => {
          digests.push(digest);
          return new Promise(() => undefined);
        },
      },
    });
    void first.prompt("go");
    await settle();
    const model = saying();
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools,
      policy,
      ports: { journal: recordOf(journal.entries) },
      model,
      approver: {
        ask: async ({ digest }) => {
          digests.push(digest);
          return { answer: "approved" };
        },
      },
    });
    await session.prompt("and?");
    expect(digests).toEqual([digests[0], digests[0]]);
    expect(ran).toEqual(["t", "pay"]);
    expect(outcomesIn(model.asked[0])).toEqual(["a ok", "b ok"]);
  });

  test("a prepared approval is used once over all processes that share the record", async () => {
    let ran = 0;
    const { journal } = memoryPorts();
    const open = () =>
      createAgentSession({
        id: "s",
        tools: [makeTool("pay", () => (ran += 1))],
        policy: [{ name: "careful", ask: ["pay"] }],
        ports: { journal },
      });
    const first = await open();
    const prepared = await first.prepare({ id: "p", name: "pay", input: { sum: 1 } });
    const approval = { answer: "approved" as const, prepared };
    expect((await first.dispatch({ id: "p", name: "pay", input: { sum: 1 } }, { approval })).outcome).toBe("ok");
    const second = await open();
    const again = await second.dispatch({ id: "q", name: "pay", input: { sum: 1 } }, { approval });
    expect(again).toMatchObject({ outcome: "rejected", details: { approval: "mismatch" } });
    expect(ran).toBe(1);
  });

  test("once answers from the record, also for a call that was interrupted and after thousands of others", async () => {
    let ran = 0;
    const { journal } = memoryPorts();
    const open = (record: JournalPort) =>
      createAgentSession({ id: "s", tools: [makeTool("pay", () => `paid ${(ran += 1)}`)], ports: { journal: record } });
    const first = await open(journal);
    await first.dispatch({ id: "p", name: "pay", input: { sum: 1 } });
    for (let other = 0; other < 1500; other += 1) await first.dispatch({ id: `o${other}`, name: "pay" });
    const before = ran;
    const pay = { id: "p", name: "pay", input: { sum: 1 } };
    for (const session of [first, await open(recordOf(journal.entries))]) {
      expect(textOf(await session.dispatch(pay, { once: true }))).toBe("paid 1");
    }
    const interrupted = await open(cutAfter(journal.entries, ({ type }) => type === "intent"));
    expect((await interrupted.dispatch(pay, { once: true })).outcome).toBe("interrupted");
    expect(ran).toBe(before);
  });

  test("ids of our own and of others are not handed out twice", async () => {
    const { journal } = memoryPorts();
    const open = () => createAgentSession({ id: "s", tools: [makeTool("t")], ports: { journal } });
    const first = await open();
    const ids = [await first.dispatch({ name: "t" }), await first.dispatch({ id: "x", name: "t" })];
    const second = await open();
    ids.push(await second.dispatch({ name: "t" }), await second.dispatch({ id: "x", name: "t" }));
    expect(new Set(ids.map(({ callId }) => callId)).size).toBe(4);
  });

  test("TRN-05 TRN-06 ids that a backend uses again, in one answer and in the next, are told apart and paired, before and after", async () => {
    const ran: unknown[] = [];
    const tool = makeTool("fetch", (input) => void ran.push(input["n"]));
    const entries = await record(
      [tool],
      [call("fetch", "fetch", { n: 1 }), call("fetch", "fetch", { n: 2 })],
      [call("fetch", "fetch", { n: 3 })],
    );
    expect(ran).toEqual([1, 2, 3]);
    const model = saying([call("fetch", "fetch", { n: 4 })]);
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools: [tool],
      ports: { journal: recordOf(entries) },
      model,
    });
    await session.prompt("and?");
    expect(ran).toEqual([1, 2, 3, 4]);
    const messages = model.asked.at(-1) ?? [];
    expect(transcriptFault(messages)).toBeUndefined();
    // The first keeps its id, so that what a provider has cached stays.
    expect(outcomesIn(messages)).toEqual(["fetch ok", "fetch#2 ok", "fetch#3 ok", "fetch#4 ok"]);
  });

  test("what hooks keep is there again", async () => {
    const { journal } = memoryPorts();
    const seen: unknown[] = [];
    const open = () =>
      createAgentSession({
        id: "s",
        tools: [makeTool("t")],
        ports: { journal },
        hooks: [
          {
            name: "counts",
            beforeToolCall: (_, { state }) => {
              const count = Number(state.get("count") ?? 0) + 1;
              seen.push(count);
              state.set("count", count);
            },
          },
        ],
      });
    await (await open()).dispatch({ name: "t" });
    await (await open()).dispatch({ name: "t" });
    expect(seen).toEqual([1, 2]);
  });

  test("a record of any shape breaks nothing", async () => {
    const odd = [
      {},
      { type: "message" },
      { type: "message", message: 7 },
      {
        type: "message",
        message: { role: "assistant", parts: [{ type: "tool-call" }, null, 3, { type: "text", text: "hi" }] },
      },
      { type: "message", message: { role: "user", content: ["text", { type: "odd" }] } },
      { type: "outcome", callId: "x", name: "t", outcome: "great", content: [] },
      { type: "outcome", callId: "__proto__", name: "t", outcome: "ok", content: [{ type: "text", text: "x" }] },
      { type: "intent", callId: 7 },
      { type: "state", key: "__proto__", value: { a: 1 } },
      { type: "approval-used", use: 3 },
      { type: "from the future", anything: [] },
    ] as unknown as JsonObject[];
    const model = saying();
    const session = await createAgentSession({
      id: "s",
      resume: true,
      tools: [makeTool("t")],
      ports: { journal: recordOf(odd) },
      model,
    });
    expect((await session.prompt("and?")).stop).toBe("end");
    expect(transcriptFault(model.asked[0] ?? [])).toBeUndefined();
  });

  test("an id without a record, and a journal that cannot be read back, are said", async () => {
    const { journal } = memoryPorts();
    await expect(createAgentSession({ id: "no", resume: true, ports: { journal } })).rejects.toMatchObject({
      code: "unknown-session",
    });
    await expect(
      createAgentSession({ id: "s", resume: true, ports: { journal: { append: async () => undefined } } }),
    ).rejects.toMatchObject({ code: "bad-option" });
  });

  test("a record that cannot be read gives the lock back", async () => {
    const { lock } = memoryPorts();
    const journal: JournalPort = {
      append: async () => undefined,
      read: () => Promise.reject(new Error("unreadable")),
    };
    await expect(createAgentSession({ id: "s", ports: { journal, lock } })).rejects.toThrow("unreadable");
    await (await lock.open("s")).release();
  });

  test("a session in which nothing happens leaves no record", async () => {
    const { journal } = memoryPorts();
    const session = await createAgentSession({ id: "s", tools: [makeTool("t")], ports: { journal } });
    await session.explain("t");
    await session.close();
    expect(journal.entries).toEqual([]);
  });

  test("nested calls that were under way are settled too, and a child says whose it is", async () => {
    const { journal } = memoryPorts();
    const tools = [
      makeTool("inner", () => "in"),
      makeTool("outer", async (_, { dispatch }) => textOf(await dispatch({ id: "n", name: "inner" }))),
    ];
    const parent = await createAgentSession({ id: "s", tools, ports: { journal } });
    await parent.dispatch({ id: "o", name: "outer" });
    const child = await parent.child();
    await child.dispatch({ name: "inner" });
    expect(
      journal.entries.find(({ type, session }) => type === "session-opened" && session === child.id),
    ).toMatchObject({
      parent: "s",
    });
    const record = recordOf(
      journal.entries.slice(
        0,
        journal.entries.findIndex(({ callId, type }) => callId === "n" && type === "intent") + 1,
      ),
    );
    const session = await createAgentSession({ id: "s", resume: true, tools, ports: { journal: record } });
    await settle();
    const outcomes = record.entries.filter(({ type }) => type === "outcome");
    expect(outcomes.map(({ callId, outcome }) => `${String(callId)} ${String(outcome)}`)).toEqual([
      "o interrupted",
      "n interrupted",
    ]);
    await session.close();
  });

  test("once answers for an id of our own as well, in the process that gave it", async () => {
    let ran = 0;
    const { journal } = memoryPorts();
    const session = await createAgentSession({
      id: "s",
      tools: [makeTool("pay", () => `paid ${(ran += 1)}`)],
      ports: { journal },
    });
    const { callId } = await session.dispatch({ name: "pay", input: {} });
    const again = await session.dispatch({ id: callId, name: "pay", input: {} }, { once: true });
    expect([again.callId, textOf(again), ran]).toEqual([callId, "paid 1", 1]);
  });

  test("a call that may run again does not, when another one ran in it that may not", async () => {
    let paid = 0;
    const tools = [
      makeTool("pay", () => (paid += 1)),
      makeTool("outer", async (_, { dispatch }) => textOf(await dispatch({ name: "pay" })), {
        annotations: { idempotentHint: true },
      }),
    ];
    const entries = await record(tools, [call("o", "outer")]);
    const journal = cutAfter(entries, ({ type, name }) => type === "outcome" && name === "pay");
    const model = saying();
    const session = await createAgentSession({ id: "s", resume: true, tools, ports: { journal }, model });
    await session.prompt("and?");
    expect(paid).toBe(1);
    expect(outcomesIn(model.asked[0])).toEqual(["o interrupted"]);
  });

  test("of a record with gaps nothing is said to have never run", async () => {
    const entries = await record([makeTool("t")], [call("a", "t"), call("b", "t")]);
    const said = entries.slice(
      0,
      entries.findIndex(({ type, message }) => type === "message" && JSON.stringify(message).includes("tool-call")) + 1,
    );
    for (const [gap, outcome] of [
      [[], "cancelled"],
      [[{ type: "record-damaged", session: "s" }], "interrupted"],
      [[{ type: "repaired", session: "s" }], "interrupted"],
    ] as const) {
      const model = saying();
      const journal = recordOf([...said, ...gap]);
      const session = await createAgentSession({
        id: "s",
        resume: true,
        tools: [makeTool("t")],
        ports: { journal },
        model,
      });
      await session.prompt("and?");
      expect(outcomesIn(model.asked[0])).toEqual([`a ${outcome}`, `b ${outcome}`]);
    }
  });
});
