import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseInput } from "../../../src/core/schema/parse-input.ts";
import { scanJson } from "../../../src/core/schema/scan-json.ts";

const messageOf = (raw: unknown): string => {
  const parsed = parseInput(raw);
  return parsed.kind === "value" ? `value ${JSON.stringify(parsed.value)}` : `${parsed.kind}: ${parsed.message}`;
};
const jsonObject = fc.dictionary(fc.string(), fc.jsonValue());

describe("parseInput", () => {
  test("ARG-07 parseInput reads nothing at all as an empty object", () => {
    for (const raw of [undefined, null, "", " ", "\n\t ", "null", "{}", " {} "]) {
      expect(parseInput(raw)).toEqual({ kind: "value", value: {} });
    }
  });

  test("parseInput takes a value that is not text as it is", () => {
    const input = { a: [1] };
    expect(parseInput(input)).toEqual({ kind: "value", value: input });
    expect(parseInput(5)).toEqual({ kind: "value", value: 5 });
  });

  test("parseInput(JSON.stringify(x)) gives x, however it is spaced", () => {
    fc.assert(
      fc.property(fc.oneof(jsonObject, fc.array(fc.jsonValue())), fc.constantFrom(0, 1, "\t", 4), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(parseInput(text)).toEqual({ kind: "value", value: JSON.parse(text) as unknown });
      }),
    );
  });

  test("ARG-08 every proper prefix of an object's text is truncated", () => {
    fc.assert(
      fc.property(jsonObject, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const prefix = text.slice(0, 1 + (cut % (text.length - 1)));
        expect(parseInput(prefix).kind).toBe("truncated");
      }),
    );
  });

  test("ARG-08 each place where an object's text may be cut is found", () => {
    const text = '{"a\\u00e9\\n": [1.5e-7, -0.5, true, false, null, {"b": "x\\\\"}], "c": ""}';
    for (let end = 1; end < text.length; end++) expect(messageOf(text.slice(0, end))).toContain("truncated");
    expect(parseInput(text).kind).toBe("value");
  });

  test("ARG-08 parseInput says where the text was cut", () => {
    expect(messageOf('{"path": "a.txt", "content": "hello')).toBe(
      "truncated: its JSON ends inside a string, after 35 characters",
    );
    expect(messageOf('{"a":[1,')).toContain("inside an array");
    expect(messageOf('{"a":')).toContain("inside an object");
    expect(messageOf('{"a":12e')).toContain("inside a number");
  });

  test("parseInput names the place and the reason of text that is not JSON", () => {
    expect(messageOf("{'a': 1}")).toBe("not-json: expected a name in double quotes, at character 2, near \"{'a': 1}\"");
    expect(messageOf('{"a": 1} thanks')).toContain("more text after the end of the value, at character 10");
    expect(messageOf('{"a": 1,}')).toContain("expected a name in double quotes, at character 9");
    expect(messageOf('{"a": 01}')).toContain('expected "," or "}"');
    expect(messageOf('{"a" 1}')).toContain('expected ":" after the name');
    expect(messageOf('{"a": "x\ny"}')).toContain("must be escaped");
    expect(messageOf('{"a": "\\x"}')).toContain("unknown escape");
    expect(messageOf('{"a": "\\u12g4"}')).toContain("unknown escape");
    expect(messageOf("hello")).toContain("expected a JSON value, at character 1");
    expect(messageOf("[1 2]")).toContain('expected "," or "]"');
  });

  test("parseInput clips what it shows of a long text", () => {
    expect(messageOf("x".repeat(100_000)).length).toBeLessThan(200);
  });

  test("parseInput refuses a name that comes twice, with its place", () => {
    expect(messageOf('{"path": "a", "path": "b"}')).toBe(
      'not-json: the object names "path" more than once; send each name once',
    );
    expect(messageOf('{"a/b": [0, {"x": 1, "y": ":", "x": 1}]}')).toBe(
      'not-json: the object at /a~1b/1 names "x" more than once; send each name once',
    );
    expect(messageOf('{"a": 1, "\\u0061": 2}')).toContain('names "a" more than once');
    expect(messageOf('{"__proto__": 1, "__proto__": 2}')).toContain('names "__proto__" more than once');
  });

  test("parseInput finds a name that comes twice wherever it is put", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.nat(),
        fc.jsonValue(),
        (value, pick, other) => {
          const names = Object.keys(value);
          const name = names[pick % names.length] ?? "";
          const text = `{${JSON.stringify(name)} : ${JSON.stringify(other)},${JSON.stringify(value).slice(1)}`;
          expect(messageOf(text)).toContain("more than once");
          expect(messageOf(`[{"deep":${text}}]`)).toContain("more than once");
        },
      ),
    );
  });

  test("parseInput does not take colons, quotes and backslashes inside strings for names", () => {
    for (const value of [{ a: ':":"' }, { a: '\\":', "b:": "\\\\" }, { a: '\\":'.repeat(60) }, { '":': '"' }]) {
      expect(parseInput(JSON.stringify(value))).toEqual({ kind: "value", value });
    }
  });

  test("parseInput unwraps JSON that was encoded twice, once, on record", () => {
    expect(parseInput(JSON.stringify('{"a":1}'))).toEqual({
      kind: "value",
      value: { a: 1 },
      repairs: ["the input was JSON text inside a JSON string; it was unwrapped once"],
    });
    const thrice = JSON.stringify(JSON.stringify('{"a":1}'));
    expect(parseInput(thrice)).toEqual({ kind: "value", value: '"{\\"a\\":1}"' });
  });

  test("parseInput leaves any other string alone", () => {
    for (const inner of ["hello", "[1]", "{", '{"a":', "{x}"]) {
      expect(parseInput(JSON.stringify(inner))).toEqual({ kind: "value", value: inner });
    }
    expect(messageOf(JSON.stringify('{"a":1,"a":2}'))).toContain("more than once");
  });

  test("parseInput refuses what is nested too deep, and does not crash on it", () => {
    const deep = 100_000;
    expect(messageOf("[".repeat(deep) + "]".repeat(deep))).toBe("not-json: it is nested more than 512 levels deep");
    expect(messageOf('{"a":'.repeat(deep) + "1" + "}".repeat(deep))).toContain("levels deep");
    expect(messageOf("[".repeat(deep))).toContain("truncated");
    expect(parseInput("[".repeat(512) + "]".repeat(512)).kind).toBe("value");
  });

  test("parseInput keeps a member named __proto__ as data", () => {
    const parsed = parseInput('{"__proto__":{"polluted":true}}');
    expect(parsed.kind === "value" && JSON.stringify(parsed.value)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("scanJson", () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const nearJson = fc.array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\u00e",
      "1",
      "-",
      "0",
      ".",
      "e",
      "+",
      "tru",
      "e",
      "null",
      " ",
      "\n",
      "a",
    ),
    { maxLength: 12 },
  );

  test("scanJson and JSON.parse know the same grammar", () => {
    fc.assert(
      fc.property(nearJson, (parts) => {
        const text = parts.join("");
        expect(["complete", "duplicate"].includes(scanJson(text).kind)).toBe(isJson(text));
      }),
      { numRuns: 3000 },
    );
  });

  test("scanJson calls cut exactly what can be completed", () => {
    fc.assert(
      fc.property(nearJson, nearJson, (parts, more) => {
        const text = parts.join("");
        if (isJson(text + more.join("")) && more.join("") !== "" && !isJson(text))
          expect(scanJson(text).kind).toBe("cut");
      }),
      { numRuns: 3000 },
    );
    const completions = [
      '"',
      "}",
      "]",
      "1}",
      "1",
      "0",
      "e",
      "ue",
      "null}",
      ":1}",
      '":1}',
      '00e9"',
      '9"',
      "l",
      "ull",
      '"a":1}',
    ];
    fc.assert(
      fc.property(nearJson, (parts) => {
        const text = parts.join("");
        if (scanJson(text).kind === "fault") for (const end of completions) expect(isJson(text + end)).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });
});
