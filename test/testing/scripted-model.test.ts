import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelPart, ModelRequest } from "toolmap";
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from "toolmap/testing";

function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [], tools: [], signal: new AbortController().signal, ...more };
}
async function play(model: ScriptedModel, asked = request()): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of model.turn(asked)) parts.push(part);
  return parts;
}

describe("scriptedModel", () => {
  test("scriptedModel streams text in words and ends with stop", async () => {
    expect(await play(scriptedModel([{ text: "It is  sunny.\n", reasoning: "hm" }]))).toEqual([
      { type: "reasoning-delta", text: "hm" },
      { type: "text-delta", text: "It " },
      { type: "text-delta", text: "is  " },
      { type: "text-delta", text: "sunny.\n" },
      { type: "finish", reason: "stop" },
    ]);
  });

  test("scriptedModel streams the input of a call before the call", async () => {
    const usage = { inputTokens: 3, outputTokens: 5 };
    const parts = await play(scriptedModel([{ calls: [{ name: "read", input: { path: "README.md" } }], usage }]));
    expect(parts).toEqual([
      { type: "tool-input-started", callId: "call_1", name: "read" },
      { type: "tool-input-delta", callId: "call_1", text: '{"path":"README.md"}' },
      { type: "tool-call", call: { id: "call_1", name: "read", input: { path: "README.md" } } },
      { type: "finish", reason: "tool-calls", usage },
    ]);
  });

  test("scriptedModel gives raw text as the input that the model wrote", async () => {
    const parts = await play(scriptedModel([{ calls: [{ name: "write", input: '{"path":"a' }], finish: "length" }]));
    expect(parts).toContainEqual({ type: "tool-call", call: { id: "call_1", name: "write", input: '{"path":"a' } });
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "length" });
  });

  test("scriptedModel gives a call without an id one that no other call has", async () => {
    const model = scriptedModel([{ calls: [{ name: "a" }, { name: "b", id: "call_2" }] }, { calls: [{ name: "c" }] }]);
    const parts = [...(await play(model)), ...(await play(model))];
    const ids = parts.flatMap((part) => (part.type === "tool-call" ? [part.call.id] : []));
    expect(ids).toEqual(["call_1", "call_2", "call_3"]);
  });

  test("scriptedModel plays parts as they stand, and their finish", async () => {
    const parts: ModelPart[] = [
      { type: "other", value: { kind: "citation" } },
      { type: "finish", reason: "content-filter" },
    ];
    expect(await play(scriptedModel([{ parts }]))).toEqual(parts);
  });

  test("scriptedModel throws what the turn throws, after its text", async () => {
    for (const thrown of [new Error("overloaded"), "a text", undefined]) {
      const model = scriptedModel([{ text: "well", throws: thrown }]);
      const seen: ModelPart[] = [];
      const playing = (async () => {
        for await (const part of model.turn(request())) seen.push(part);
      })();
      await expect(
        playing.then(
          () => "no throw",
          (error: unknown) => [error],
        ),
      ).resolves.toEqual([thrown]);
      expect(seen).toEqual([{ type: "text-delta", text: "well" }]);
    }
  });

  test("scriptedModel stops playing when its request is aborted", async () => {
    const stop = new AbortController();
    const seen: ModelPart[] = [];
    const playing = (async () => {
      for await (const part of scriptedModel([{ text: "one two" }]).turn(request({ signal: stop.signal }))) {
        seen.push(part);
        stop.abort(new Error("enough"));
      }
    })();
    await expect(playing).rejects.toThrow("enough");
    expect(seen).toHaveLength(1);
  });

  test("scriptedModel fails when it is asked for more turns than written", async () => {
    const model = scriptedModel([{ text: "done" }]);
    await play(model);
    model.assertPlayed();
    await expect(play(model)).rejects.toMatchObject({
      code: "bad-script",
      message: expect.stringContaining("1 turns"),
    });
    expect(() => model.assertPlayed()).toThrow(expect.objectContaining({ code: "bad-script" }));
  });

  test("assertPlayed fails on unused turns", async () => {
    const model = scriptedModel([{ text: "one" }, { text: "two" }]);
    expect(() => model.assertPlayed()).toThrow("it has 2 turns and was asked for 0");
    await play(model);
    expect(() => model.assertPlayed()).toThrow("was asked for 1");
  });

  test("scriptedModel keeps what it was asked, as it was then", async () => {
    const messages: ModelRequest["messages"][number][] = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
    const model = scriptedModel([{ text: "hello" }]);
    await play(model, request({ messages, system: "be brief" }));
    messages.push({ role: "assistant", parts: [] });
    expect(model.requests).toMatchObject([{ system: "be brief", messages: [{ role: "user" }] }]);
  });

  test("scriptedModel's deltas add up, and none cuts a character, for any script", async () => {
    const text = fc.string({ unit: "grapheme" });
    const input = fc.oneof(text, fc.dictionary(text, fc.oneof(text, fc.integer())));
    await fc.assert(
      fc.asyncProperty(text, text, input, async (said, thought, written) => {
        const turn: ScriptedTurn = { text: said, reasoning: thought, calls: [{ name: "x", input: written }] };
        const deltas = (await play(scriptedModel([turn]))).filter((part) => "text" in part);
        const joined = (type: ModelPart["type"]): string =>
          deltas.flatMap((part) => (part.type === type ? [part.text] : [])).join("");
        expect(joined("text-delta")).toBe(said);
        expect(joined("reasoning-delta")).toBe(thought);
        expect(joined("tool-input-delta")).toBe(typeof written === "string" ? written : JSON.stringify(written));
        for (const delta of deltas) expect(delta.text.isWellFormed()).toBe(true);
      }),
    );
  });
});
