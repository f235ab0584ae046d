import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJsonc } from "../../src/config/read-jsonc.ts";
import { ToolmapError } from "../../src/core/errors.ts";

const read = (text: string): ReturnType<typeof readJsonc> => readJsonc(text, { file: "a.jsonc" });

function failure(text: string): ToolmapError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ToolmapError) return error;
    throw error;
  }
  throw new Error("it was read");
}

describe("readJsonc", () => {
  test("readJsonc takes comments and trailing commas", () => {
    expect(read('// head\n{ "a": [1, 2,], /* in between */ "b": null, }').value).toEqual({ a: [1, 2], b: null });
  });

  test("readJsonc reads every JSON value as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(JSON.stringify(read(text).value)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test("readJsonc says on which line a part stands", () => {
    const jsonc = read('{\r\n  "policy": [\n    { "deny": [\n      "exec"\n    ] }\n  ]\n}');
    expect(jsonc.placeOf(["policy", 0, "deny", 0])).toBe("a.jsonc:4");
    expect(jsonc.placeOf(["policy", 0, "deny"])).toBe("a.jsonc:3");
    expect(jsonc.placeOf([])).toBe("a.jsonc:1");
    expect(jsonc.placeOf(["policy", 7])).toBeUndefined();
    expect(jsonc.placeOf(["policy", "constructor"])).toBeUndefined();
  });

  test("readJsonc skips a byte order mark", () => {
    expect(read("\uFEFF\n[1]").placeOf([0])).toBe("a.jsonc:2");
  });

  test.each([
    ["an unquoted name", '{\n  name: "x"\n}', "a.jsonc:2"],
    ["a missing comma", '{\n  "a": 1\n  "b": 2\n}', "a.jsonc:3"],
    ["an open text", '{\n\n  "a": "x\n}', "a.jsonc:3"],
    ["an open list", "[1,\n2", "a.jsonc:2"],
    ["two values", "1\n2", "a.jsonc:2"],
    ["nothing", "", "a.jsonc:1"],
    ["only a comment", "// nothing", "a.jsonc:1"],
    ["a name given twice", '{ "a": 1,\n "a": 2 }', "a.jsonc:2"],
    ["a number beyond all numbers", "[\n1e999]", "a.jsonc:2"],
  ])("readJsonc refuses %s and says where", (_, text, source) => {
    const error = failure(text);
    expect(error.code).toBe("bad-config");
    expect(error.source).toBe(source);
    expect(error.message).toMatch(/^Cannot read "a\.jsonc": .+\.$/);
  });

  test("readJsonc answers a file that is all brackets with a sentence", () => {
    expect(failure("[".repeat(200_000)).code).toBe("bad-config");
  });

  test("readJsonc keeps names that objects inherit as plain members", () => {
    const { value } = read('{ "__proto__": { "polluted": true }, "constructor": 1 }');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
