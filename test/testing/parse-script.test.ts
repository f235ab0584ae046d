import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ToolmapError } from "toolmap";
import { parseScript } from "../../src/testing/parse-script.ts";

const failure = (script: unknown): ToolmapError => {
  try {
    parseScript(typeof script === "string" ? script : JSON.stringify(script), { source: "turns.json" });
  } catch (error) {
    if (error instanceof ToolmapError) return error;
    throw error;
  }
  throw new Error("the script was taken");
};

describe("parseScript", () => {
  test("parseScript reads the turns of a script file", () => {
    const turns = [
      { text: "Let me look", calls: [{ name: "read", input: { path: "README.md" } }] },
      { reasoning: "hm", calls: [{ id: "c", name: "write", input: '{"path":' }], finish: "length" as const },
      { text: "done", usage: { inputTokens: 1, outputTokens: 0, cachedInputTokens: 2 } },
      {},
    ];
    expect(parseScript(JSON.stringify({ $schema: "x", turns }))).toEqual(turns);
    expect(parseScript(`\uFEFF${JSON.stringify({ turns })}`)).toEqual(turns);
  });

  test.each([
    ["{", /^The script cannot be used: it is not JSON \(.+\)\.$/],
    [[], "The script cannot be used: it must be an object, not []."],
    [{}, '"turns" of the script cannot be used: it must be an array, and it is missing.'],
    [{ turns: [] }, '"turns" of the script cannot be used: it is empty, and a model has to say something.'],
    [{ turns: [{}, 7] }, '"turns[1]" of the script cannot be used: it must be an object, not 7.'],
    [{ turns: [{ text: 1 }] }, '"turns[0].text" of the script cannot be used: it must be text, not 1.'],
    [{ turns: [{ calls: {} }] }, '"turns[0].calls" of the script cannot be used: it must be an array, not {}.'],
    [
      { turns: [{}, { calls: [{ input: {} }] }] },
      '"turns[1].calls[0].name" of the script cannot be used: it must be text, and it is missing.',
    ],
    [{ turns: [{ calls: [{ name: "" }] }] }, '"turns[0].calls[0].name" of the script cannot be used: it is empty.'],
    [{ turns: [{ finish: "done" }] }, /^"turns\[0\]\.finish" .* one of stop, .*, not "done"\.$/],
    [
      { turns: [{ usage: { inputTokens: -1 } }] },
      /^"turns\[0\]\.usage\.inputTokens" .* whole number, 0 or more, not -1\.$/,
    ],
    [{ turns: [{ call: [] }] }, /^"turns\[0\]\.call" .* no such member is known; there are text, reasoning, calls/],
    ['{"turns":[{"__proto__":1}]}', /^"turns\[0\]\.__proto__" .* no such member/],
  ])("parseScript names the place: %j", (script, message) => {
    const error = failure(script);
    expect(error.message).toEqual(typeof message === "string" ? message : expect.stringMatching(message));
    expect(error).toMatchObject({ code: "bad-script", source: "turns.json", fix: expect.stringContaining('"turns"') });
  });

  test("parseScript gives turns or bad-script, for any text", () => {
    const json = fc.jsonValue().map((value) => JSON.stringify(value));
    const turns = fc.jsonValue().map((value) => JSON.stringify({ turns: [value] }));
    fc.assert(
      fc.property(fc.oneof(fc.string(), json, turns), (text) => {
        try {
          expect(parseScript(text).length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toMatchObject({ code: "bad-script" });
        }
      }),
    );
  });
});
