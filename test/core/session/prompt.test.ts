import { createAgentSession, type Model, type ModelPart, type SessionEvent } from "toolmap";
import { scriptedModel } from "toolmap/testing";
import { expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle, textOf } from "../../support/tools.ts";

const strict = makeTool("add", ({ a, b }) => Number(a) + Number(b), {
  schema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
});

test("prompt takes turns until the model is done, and its run is awaitable and iterable", async () => {
  const model = scriptedModel([
    { text: "Let me add.", calls: [{ id: "one", name: "add", input: { a: 1, b: 2 } }] },
    { text: "It is 3.", usage: { inputTokens: 10, outputTokens: 4 } },
  ]);
  const session = await createAgentSession({ tools: [strict], model });
  const run = session.prompt("What is 1 + 2?");
  const types: SessionEvent["type"][] = [];
  for await (const event of run) types.push(event.type);
  expect(await run).toMatchObject({ text: "It is 3.", stop: "end", usage: { inputTokens: 10, outputTokens: 4 } });
  expect((await run).results).toHaveLength(1);
  expect(types.filter((type) => !type.includes("delta"))).toEqual([
    "turn-started",
    "tool-input-started",
    "tool-call-started",
    "tool-call-finished",
    "turn-finished",
    "turn-started",
    "turn-finished",
  ]);
  expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

test("ARG-13 a wrong type once is shown to the model, not thrown, and the right one succeeds", async () => {
  const model = scriptedModel([
    { calls: [{ name: "add", input: { a: "one", b: 2 } }] },
    { calls: [{ name: "add", input: { a: 1, b: 2 } }] },
    { text: "done" },
  ]);
  const session = await createAgentSession({ tools: [strict], model });
  const { results, stop } = await session.prompt("go");
  expect(results.map(({ outcome }) => outcome)).toEqual(["invalid-input", "ok"]);
  expect(stop).toBe("end");
});

test("DSP-03 one call that throws costs its siblings nothing, and the results come in call order", async () => {
  const slow = gate<string>();
  const model = scriptedModel([{ calls: [{ name: "slow" }, { name: "broken" }, { name: "quick" }] }, { text: "done" }]);
  const session = await createAgentSession({
    tools: [
      makeTool("slow", () => slow.opened),
      makeTool("broken", () => {
        throw "no";
      }),
      makeTool("quick", () => {
        slow.open("slow");
        return "quick";
      }),
    ],
    model,
  });
  const { results } = await session.prompt("go");
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([
    ["slow", "ok"],
    ["broken", "error"],
    ["quick", "ok"],
  ]);
});

test("TRN-01 an abort in mid-call leaves a transcript in which every call has its result, and the session goes on", async () => {
  const model = scriptedModel([
    {
      text: "working",
      calls: [
        { id: "a", name: "slow" },
        { id: "b", name: "slow" },
      ],
    },
    { text: "hi" },
  ]);
  const session = await createAgentSession({
    tools: [makeTool("slow", () => new Promise(() => undefined))],
    model,
    limits: { graceMs: 0 },
  });
  const run = session.prompt("go");
  await settle();
  session.abort();
  expect(await run).toMatchObject({ stop: "cancelled", results: [{ outcome: "cancelled" }, { outcome: "cancelled" }] });
  expect((await session.prompt("hi")).stop).toBe("end");
  const messages = model.requests[1]?.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  expect(messages[2]?.role === "tool" && messages[2].results.map(({ callId }) => callId)).toEqual(["a", "b"]);
});

test("the signal of a prompt ends that prompt alone", async () => {
  const model = scriptedModel([{ calls: [{ name: "slow" }] }, { text: "again" }]);
  const session = await createAgentSession({
    tools: [makeTool("slow", () => new Promise(() => undefined))],
    model,
    limits: { graceMs: 0 },
  });
  const controller = new AbortController();
  const run = session.prompt("go", { signal: controller.signal });
  await settle();
  controller.abort();
  expect((await run).stop).toBe("cancelled");
  expect((await session.prompt("go")).text).toBe("again");
});

test("a model that ignores its signal does not hold the run up", async () => {
  const hanging: Model = {
    rules: scriptedModel([]).rules,
    async *turn() {
      yield { type: "text-delta", text: "half" };
      await new Promise(() => undefined);
    },
  };
  const session = await createAgentSession({ model: hanging });
  const run = session.prompt("go");
  await settle();
  session.abort();
  expect(await run).toMatchObject({ stop: "cancelled", text: "half" });
});

test("a stream that dies after whole calls arrived dispatches none of them and keeps the text", async () => {
  let ran = 0;
  const model = scriptedModel([
    { text: "I will", calls: [{ name: "t" }], throws: new Error("connection reset") },
    { text: "fine" },
  ]);
  const session = await createAgentSession({ tools: [makeTool("t", () => (ran += 1))], model });
  expect(await session.prompt("go")).toMatchObject({
    stop: "model-error",
    error: { message: "connection reset" },
    text: "I will",
  });
  expect(ran).toBe(0);
  await session.prompt("again");
  expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("tool-call");
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("I will");
});

test("an empty answer is asked for once more, then it is the model's error", async () => {
  const once = await createAgentSession({ model: scriptedModel([{}, { text: "hello" }]) });
  expect(await once.prompt("go")).toMatchObject({ stop: "end", text: "hello" });
  const twice = await createAgentSession({ model: scriptedModel([{}, {}]) });
  expect((await twice.prompt("go")).stop).toBe("model-error");
});

test("an answer that ends by length makes all its calls truncated", async () => {
  let ran = 0;
  const model = scriptedModel([{ calls: [{ name: "t" }, { name: "t" }], finish: "length" }, { text: "ok" }]);
  const session = await createAgentSession({ tools: [makeTool("t", () => (ran += 1))], model });
  expect((await session.prompt("go")).results.map(({ outcome }) => outcome)).toEqual(["truncated", "truncated"]);
  expect(ran).toBe(0);
});

test("calls that the provider ran itself are recorded and never dispatched", async () => {
  let ran = 0;
  const parts: ModelPart[] = [
    { type: "tool-call", call: { id: "p", name: "t" }, providerExecuted: true },
    { type: "text-delta", text: "found it" },
  ];
  const session = await createAgentSession({
    tools: [makeTool("t", () => (ran += 1))],
    model: scriptedModel([{ parts }]),
  });
  expect(await session.prompt("go")).toMatchObject({ stop: "end", results: [] });
  expect(ran).toBe(0);
});

test("limits stop a run: turns, tokens, time", async () => {
  const looping = (usage = {}) =>
    scriptedModel(Array.from({ length: 5 }, (_, at) => ({ calls: [{ name: "t", input: { at } }], usage })));
  const tools = [makeTool("t", () => "x")];
  expect((await (await createAgentSession({ tools, model: looping(), limits: { turns: 2 } })).prompt("go")).stop).toBe(
    "turns",
  );
  const tokens = await createAgentSession({
    tools,
    model: looping({ inputTokens: 60, outputTokens: 1 }),
    limits: { tokens: 100 },
  });
  expect(await tokens.prompt("go")).toMatchObject({ stop: "tokens", usage: { inputTokens: 120 } });
  const time = await createAgentSession({
    tools: [makeTool("t", () => new Promise(() => undefined))],
    model: looping(),
    limits: { timeMs: 20, graceMs: 0 },
  });
  expect((await time.prompt("go")).stop).toBe("time");
});

test("a second prompt while one runs throws session-busy, and steering is delivered at the next boundary", async () => {
  const opened = gate();
  const model = scriptedModel([{ calls: [{ name: "wait" }] }, { text: "first" }, { text: "second" }]);
  const session = await createAgentSession({ tools: [makeTool("wait", () => opened.opened)], model });
  const run = session.prompt("go");
  await settle();
  expect(() => session.prompt("no")).toThrow(expect.objectContaining({ code: "session-busy" }));
  session.steer("hurry up");
  opened.open();
  await run;
  const last = model.requests[1]?.messages.at(-1);
  expect(last?.role === "user" && textOf(last)).toBe("hurry up");
});

test("prompt without a model throws at once", async () => {
  const session = await createAgentSession();
  expect(() => session.prompt("go")).toThrow(expect.objectContaining({ code: "no-model" }));
});

test("DSP-05 the same call with the same result is noticed at the third time and refused at the sixth, the history stays whole", async () => {
  const model = scriptedModel(
    Array.from({ length: 9 }, (_, at) => ({
      calls: [{ name: "read", input: at % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 } }],
    })),
  );
  const session = await createAgentSession({ tools: [makeTool("read", () => "same")], model });
  const { results, stop } = await session.prompt("go");
  expect(stop).toBe("loop");
  expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok", "ok", "ok", "blocked"]);
  expect(results.map((result) => textOf(result).includes("[note]"))).toEqual([false, false, true, true, true, false]);
});

test("DSP-05 ping-pong is a loop too, and polling with changing results is none", async () => {
  const pingPong = scriptedModel(Array.from({ length: 20 }, (_, at) => ({ calls: [{ name: at % 2 ? "b" : "a" }] })));
  const session = await createAgentSession({
    tools: [makeTool("a", () => "A"), makeTool("b", () => "B")],
    model: pingPong,
  });
  const { results, stop } = await session.prompt("go");
  expect(stop).toBe("loop");
  expect(results.length).toBeLessThanOrEqual(12);
  let count = 0;
  const polling = scriptedModel([
    ...Array.from({ length: 12 }, () => ({ calls: [{ name: "poll" }] })),
    { text: "done" },
  ]);
  const patient = await createAgentSession({ tools: [makeTool("poll", () => `${(count += 1)} %`)], model: polling });
  expect((await patient.prompt("go")).stop).toBe("end");
});

test("SCH-15 with no tool visible the request has no tools, and the plan says which layer took the last one", async () => {
  const model = scriptedModel([{ text: "hello" }]);
  const session = await createAgentSession({ tools: [makeTool("t")], policy: [{ name: "closed", allow: [] }], model });
  expect((await session.prompt("go")).stop).toBe("end");
  expect(model.requests[0]?.tools).toEqual([]);
  expect(session.plan().warnings.find(({ code }) => code === "no-tool-visible")?.message).toContain("closed");
});

test("CST-06 the system prompt is built anew only when the tools that are sent changed", async () => {
  let built = 0;
  const owner = { kind: "mcp", serverId: "s" } as const;
  const make = (name: string) => makeTool(name, () => built, { owner, annotations: { readOnlyHint: true } });
  const source = fakeSource("s", "mcp", { state: "ready", tools: [make("s__a")] });
  const model = scriptedModel(Array.from({ length: 4 }, () => ({ text: "ok" })));
  const session = await createAgentSession({
    sources: [source],
    model,
    systemPrompt: (tools) => `${(built += 1)}: ${tools.map(({ name }) => name).join()}`,
  });
  await session.prompt("1");
  source.set({ state: "down", tools: [make("s__a")] });
  source.set({ state: "ready", tools: [make("s__a")] });
  await settle();
  await session.prompt("2");
  expect(built).toBe(1);
  source.set({ state: "ready", tools: [make("s__a"), make("s__b")] });
  await settle();
  await session.prompt("3");
  expect(model.requests.map(({ system }) => system)).toEqual(["1: s__a", "1: s__a", "2: s__a,s__b"]);
});
