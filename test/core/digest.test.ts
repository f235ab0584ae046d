import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson, digestJson, digestText } from "../../src/core/digest.ts";
import type { JsonValue } from "../../src/core/json.ts";

const reference = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
// fast-check builds its JSON values from null-prototype-free plain data, so they are JSON values
const jsonValue = (): fc.Arbitrary<JsonValue> => fc.jsonValue() as fc.Arbitrary<JsonValue>;

describe("digestText", () => {
  test("digestText is SHA-256 over UTF-8, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(digestText(text)).toBe(reference(text));
      }),
    );
  });

  test("digestText agrees at every length around the block borders", () => {
    for (let length = 0; length < 200; length++)
      expect(digestText("é".repeat(length))).toBe(reference("é".repeat(length)));
  });

  test("digestText agrees on a megabyte and on a lone surrogate", () => {
    expect(digestText("abc".repeat(400_000))).toBe(reference("abc".repeat(400_000)));
    expect(digestText("a\ud800b")).toBe(reference("a\ud800b"));
  });
});

describe("canonicalJson", () => {
  test("canonicalJson is JSON text of the same value", () => {
    fc.assert(
      fc.property(jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test("canonicalJson sorts members by code unit at every depth", () => {
    expect(canonicalJson({ b: 1, a: { é: 1, z: 2, Z: 3 }, "10": [], "9": null })).toBe(
      '{"10":[],"9":null,"a":{"Z":3,"z":2,"é":1},"b":1}',
    );
  });

  test("canonicalJson keeps a member named __proto__", () => {
    expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}') as JsonValue)).toBe('{"__proto__":{"a":1}}');
  });
});

describe("digestJson", () => {
  test("digestJson does not see member order", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), jsonValue()), (members) => {
        const turned = Object.fromEntries(Object.entries(members).toReversed());
        expect(digestJson(turned)).toBe(digestJson({ ...members }));
      }),
    );
  });

  test("digestJson sees every other difference", () => {
    const values: JsonValue[] = [
      {},
      [],
      "",
      "{}",
      null,
      0,
      false,
      { a: 1 },
      { a: "1" },
      { a: [1] },
      { b: 1 },
      [1],
      ["1"],
    ];
    expect(new Set(values.map(digestJson)).size).toBe(values.length);
  });
});
