import fc from "fast-check";
import {
  checkTranscript,
  createAgentSession,
  type Message,
  type Model,
  repairTranscript,
  type ToolResult,
  type TranscriptRules,
} from "toolmap";
import { memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { makeTool } from "../../support/tools.ts";
import { transcriptFault } from "../../support/transcript-fault.ts";

const RULES: TranscriptRules = {
  resultsRightAfterCalls: true,
  imageTypes: ["image/png", "image/jpeg"],
  emptyText: false,
};

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const says = (text: string): Message => ({ role: "assistant", parts: [{ type: "text", text }] });
const calls = (...ids: readonly string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call", call: { id, name: "t", input: {} } })),
});
const result = (callId: string, text = `of ${callId}`): ToolResult => ({
  callId,
  name: "t",
  outcome: "ok",
  isError: false,
  content: [{ type: "text", text }],
});
const results = (...ids: readonly string[]): Message => ({ role: "tool", results: ids.map((id) => result(id)) });

const roles = (messages: readonly Message[]): string => messages.map(({ role }) => role[0]).join("");
const idsIn = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ callId, content }) => `${callId}: ${JSON.stringify(content).slice(0, 40)}`)
      : [],
  );

describe("repairTranscript", () => {
  test("leaves a transcript that providers take as it is: the very same array", () => {
    const fine = [user("hi"), calls("a", "b"), results("a", "b"), says("done"), user("more"), calls("c"), results("c")];
    expect(repairTranscript(fine, RULES)).toEqual({ messages: fine, changes: [] });
    expect(repairTranscript(fine, RULES).messages).toBe(fine);
  });

  test("TRN-01 gives calls without a result one that says so, the last answer's and an earlier one's", () => {
    const { messages, changes } = repairTranscript(
      [user("hi"), calls("a"), user("more"), calls("b", "c"), results("c")],
      RULES,
    );
    expect(roles(messages)).toBe("uatuat");
    expect(transcriptFault(messages)).toBeUndefined();
    expect(messages[2]).toMatchObject({ results: [{ callId: "a", outcome: "interrupted", isError: true }] });
    expect(messages[5]).toMatchObject({
      results: [
        { callId: "b", outcome: "interrupted" },
        { callId: "c", outcome: "ok" },
      ],
    });
    expect(changes.map(({ at }) => at)).toEqual([1, 1, 3, 3]);
  });

  test("TRN-03 moves a result next to its call, keeps what stood between, and does it once", () => {
    const { messages } = repairTranscript([user("hi"), calls("a"), user("between"), results("a"), says("done")], RULES);
    expect(roles(messages)).toBe("uatua");
    expect(messages[3]).toEqual(user("between"));
    expect(repairTranscript(messages, RULES).messages).toBe(messages);
  });

  test("TRN-05 tells ids that come again apart, pairs each with its own result, and the first keeps its id", () => {
    const given: Message[] = [
      user("hi"),
      calls("call_0"),
      { role: "tool", results: [result("call_0", "first")] },
      calls("call_0"),
      { role: "tool", results: [result("call_0", "second")] },
    ];
    const { messages } = repairTranscript(given, RULES);
    expect(transcriptFault(messages)).toBeUndefined();
    expect(messages.slice(0, 3)).toEqual(given.slice(0, 3));
    expect(messages[1]).toBe(given[1]);
    expect(idsIn(messages)).toEqual([
      expect.stringMatching(/^call_0: .*first/),
      expect.stringMatching(/^call_0#2: .*second/),
    ]);
  });

  test("TRN-05 a call without a result does not take the one of a later call with its id", () => {
    const { messages } = repairTranscript([calls("x"), user("?"), calls("x"), results("x")], RULES);
    expect(
      messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ outcome }) => outcome) : [])),
    ).toEqual(["interrupted", "ok"]);
  });

  test("TRN-06 two calls of one answer with one id get two results in their order", () => {
    const { messages } = repairTranscript(
      [calls("f", "f"), { role: "tool", results: [result("f", "one"), result("f", "two")] }],
      RULES,
    );
    expect(idsIn(messages)).toEqual([expect.stringMatching(/^f: .*one/), expect.stringMatching(/^f#2: .*two/)]);
  });

  test("a result that answers no call is told as text", () => {
    const { messages } = repairTranscript([user("hi"), results("lost"), says("done")], RULES);
    expect(roles(messages)).toBe("uua");
    expect(JSON.stringify(messages[1])).toContain("of lost");
  });

  test("TRN-08 texts are well-formed, also in results, raw inputs and structures", () => {
    const half = "x\ud83d";
    const given: Message[] = [
      user(half),
      { role: "assistant", parts: [{ type: "tool-call", call: { id: "a", name: "t", input: { [half]: [half] } } }] },
      {
        role: "tool",
        results: [{ ...result("a", half), content: [{ type: "resource", resource: { uri: "a:b", text: half } }] }],
      },
    ];
    const { messages } = repairTranscript(given, RULES);
    expect(JSON.stringify(messages)).not.toContain("\\ud83d");
    expect(transcriptFault(messages)).toBeUndefined();
  });

  test("TRN-10 nothing is empty, unless the provider takes it", () => {
    const given: Message[] = [
      user(" "),
      { role: "assistant", parts: [{ type: "text", text: "" }] },
      calls("a"),
      { role: "tool", results: [{ ...result("a", "\n") }] },
      { role: "tool", results: [] },
    ];
    const { messages } = repairTranscript(given, RULES);
    expect(roles(messages)).toBe("at");
    expect(messages[1]).toMatchObject({ results: [{ content: [{ type: "text", text: "(no output)" }] }] });
    expect(roles(repairTranscript(given.slice(0, 1), { ...RULES, emptyText: true }).messages)).toBe("u");
  });

  test("TRN-12 an image that the provider cannot read becomes text, one whose type was wrongly declared gets the right one", () => {
    const image = (data: string, mimeType: string): Message => ({
      role: "user",
      content: [{ type: "image", data, mimeType }],
    });
    const { messages } = repairTranscript(
      [image("PHN2Zz4=", "image/svg+xml"), image("iVBORw0KGgoAAA==", "image/jpeg"), image("R0lGODlh", "image/png")],
      RULES,
    );
    expect(messages).toMatchObject([
      { content: [{ type: "text", text: expect.stringContaining("image/svg+xml") as string }] },
      { content: [{ type: "image", mimeType: "image/png" }] },
      { content: [{ type: "text" }] },
    ]);
    const any = [image("PHN2Zz4=", "image/svg+xml")];
    expect(repairTranscript(any, { ...RULES, imageTypes: [] }).messages).toBe(any);
  });

  test("ids that a provider does not take are made to fit, in calls and results alike", () => {
    const strict = { ...RULES, idPattern: "^[a-zA-Z0-9_-]{1,9}$" };
    const { messages } = repairTranscript([calls("a b", "a#b"), results("a b", "a#b")], strict);
    expect(transcriptFault(messages)).toBeUndefined();
    for (const message of messages) {
      if (message.role === "tool")
        for (const { callId } of message.results) expect(callId).toMatch(/^[a-zA-Z0-9_-]{1,9}$/);
    }
  });

  test("calls that the provider ran itself need no result", () => {
    const given: Message[] = [
      {
        role: "assistant",
        parts: [{ type: "tool-call", call: { id: "a", name: "search", input: {} }, providerExecuted: true }],
      },
    ];
    expect(repairTranscript(given, RULES).messages).toBe(given);
  });

  const ID = fc.constantFrom("a", "b", "c", "d", "", "a#2", "x\ud83d");
  const TEXT = fc.constantFrom("", " ", "hi", "x\ud83d", "more");
  const MESSAGE: fc.Arbitrary<Message> = fc.oneof(
    TEXT.map(user),
    TEXT.map(says),
    fc.array(ID, { maxLength: 3 }).map((ids) => calls(...ids)),
    fc.array(ID, { maxLength: 3 }).map((ids) => results(...ids)),
    fc
      .array(ID, { maxLength: 2 })
      .map((ids) => ({ role: "tool" as const, results: ids.map((id) => ({ ...result(id), content: [] })) })),
  );

  test("whatever comes: the outcome is one that providers take, repairing it again changes nothing, and the beginning stays", () => {
    fc.assert(
      fc.property(fc.array(MESSAGE, { maxLength: 12 }), (given) => {
        const { messages, changes } = repairTranscript(given, RULES);
        expect(transcriptFault(messages)).toBeUndefined();
        expect(repairTranscript(messages, RULES).messages).toBe(messages);
        expect(checkTranscript(messages, RULES)).toEqual([]);
        expect(checkTranscript(given, RULES)).toEqual(changes);
        expect(changes.length === 0).toBe(messages === given);
        const first = changes[0]?.at ?? given.length;
        for (let at = 0; at < first; at += 1) expect(messages[at]).toBe(given[at]);
        // No result is lost: it stands behind a call, or is told as text.
        const told = JSON.stringify(messages);
        for (const message of given) {
          if (message.role !== "tool") continue;
          for (const { content } of message.results) {
            for (const block of content)
              if (block.type === "text") expect(told).toContain(JSON.stringify(block.text.toWellFormed()).slice(1, -1));
          }
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a session", () => {
  const drawing = makeTool("draw", () => ({
    content: [{ type: "image", data: "PHN2Zz4=", mimeType: "image/svg+xml" }],
  }));

  function drawingModel(rules: TranscriptRules, asked: (readonly Message[])[]): Model {
    return {
      rules,
      async *turn({ messages }) {
        asked.push([...messages]);
        if (messages.some(({ role }) => role === "tool")) yield { type: "text-delta", text: "half \ud83d" };
        else yield { type: "tool-call", call: { id: "a", name: "draw", input: {} } };
      },
    };
  }

  test("TRN-12 TRN-08 sends its model only what the provider reads, also when a session goes on with another provider", async () => {
    const { journal } = memoryPorts();
    const asked: (readonly Message[])[] = [];
    const open = (rules: TranscriptRules, resume: boolean) =>
      createAgentSession({ id: "s", resume, tools: [drawing], ports: { journal }, model: drawingModel(rules, asked) });
    const first = await open({ ...RULES, imageTypes: ["image/svg+xml"] }, false);
    await first.prompt("draw");
    expect(JSON.stringify(asked.at(-1))).toContain("PHN2Zz4=");
    await first.prompt("go on");
    expect(JSON.stringify(asked.at(-1))).not.toContain("\\ud83d");
    const second = await open(RULES, true);
    await second.prompt("and?");
    expect(JSON.stringify(asked.at(-1))).not.toContain("PHN2Zz4=");
    expect(checkTranscript(asked.at(-1) ?? [], RULES)).toEqual([]);
  });
});
