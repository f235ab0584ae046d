import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { checkValue } from "../../../src/core/schema/check-value.ts";
import { loadSchemaEngine } from "../../../src/core/schema/compile-schema.ts";
import { formatIssues, type SchemaIssue } from "../../../src/core/schema/issue.ts";

beforeAll(loadSchemaEngine);

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

function issuesOf(schema: JsonObject, value: unknown): readonly SchemaIssue[] {
  const checked = checkValue(schema, value);
  return checked.ok ? [] : checked.issues;
}

function linesOf(schema: JsonObject, value: unknown): readonly string[] {
  return formatIssues("search", issuesOf(schema, value)).split("\n").slice(1);
}

describe("the issues of a value", () => {
  const search = object(
    {
      query: { type: "string" },
      limit: { type: "integer", minimum: 1, maximum: 50 },
      sort_by: { enum: ["date", "name"] },
      callback: { type: "string", format: "uri" },
    },
    { required: ["query"], additionalProperties: false },
  );

  test("ARG-11 one message lists each field: path, expected, received, and whether it may be left out", () => {
    expect(formatIssues("search", issuesOf(search, { query: 5, limit: "20 lines", sortBy: "date" }))).toBe(
      [
        'The input of "search" does not fit its schema; nothing was run. Correct this and call again:',
        "- /query (required): expected string, received 5",
        '- /limit (optional): expected integer, received "20 lines"',
        '- unknown field /sortBy, received "date"; did you mean "sort_by"?',
      ].join("\n"),
    );
  });

  test("ARG-11 the text is the same for the same fault, whatever the order of the members", () => {
    const one = linesOf(search, { z: 1, limit: 0, a: 2, sort_by: "x" });
    expect(one).toEqual(linesOf(search, { sort_by: "x", a: 2, limit: 0, z: 1 }));
    expect(one).toHaveLength(5);
  });

  test("ARG-07 a tool with required fields that is called with nothing answers what is missing", () => {
    expect(linesOf(search, {})).toEqual(["- missing /query: expected string"]);
  });

  test("ARG-12 a placeholder for an optional formatted field is refused with a hint to leave it out", () => {
    for (const placeholder of ["", "unknown", "default", "N/A"]) {
      const [issue] = issuesOf(search, { query: "x", callback: placeholder });
      expect(issue).toMatchObject({
        path: "/callback",
        optional: true,
        hint: "leave the field out if there is no value for it",
      });
    }
    expect(issuesOf(search, { query: "x", callback: "not a url" })[0]).not.toHaveProperty("hint");
    expect(issuesOf(object({ u: { format: "uri" } }, { required: ["u"] }), { u: "" })[0]).not.toHaveProperty("hint");
  });

  test.each<[string, JsonObject, JsonValue, string]>([
    ["minimum", { minimum: 1 }, 0, "a number of at least 1"],
    ["maximum", { type: "integer", maximum: 5 }, 6, "an integer of at most 5"],
    ["exclusiveMinimum", { exclusiveMinimum: 1 }, 1, "a number greater than 1"],
    ["exclusiveMaximum", { exclusiveMaximum: 1 }, 1, "a number less than 1"],
    ["multipleOf", { multipleOf: 5 }, 7, "a multiple of 5"],
    ["minLength", { minLength: 2 }, "é", "a string of at least 2 characters"],
    ["maxLength", { maxLength: 2 }, "abc", "a string of at most 2 characters"],
    ["pattern", { pattern: "^a" }, "b", "a string that matches ^a"],
    ["format", { format: "date" }, "today", "a string in the format date"],
    ["minItems", { minItems: 1 }, [], "an array of at least 1 item"],
    ["maxItems", { maxItems: 1 }, [1, 2], "an array of at most 1 item"],
    ["uniqueItems", { uniqueItems: true }, [1, 1], "an array whose items all differ"],
    ["contains", { contains: { const: 1 } }, [2], "an array with at least 1 of: 1"],
    ["minProperties", { minProperties: 1 }, {}, "an object of at least 1 field"],
    ["maxProperties", { maxProperties: 0 }, { a: 1 }, "an object of at most 0 fields"],
    ["enum", { enum: ["a", 1, null] }, "b", 'one of "a", 1, null'],
    ["const", { const: { a: 1 } }, 5, '{"a":1}'],
    ["not", { not: { type: "string" } }, "b", "a value other than: string"],
    ["types", { type: ["array", "null"], items: { type: "string" } }, 5, "array of string or null"],
    ["anyOf", { anyOf: [{ type: "string" }, { type: "null" }] }, 5, "string or null"],
    ["oneOf", { oneOf: [{}, { type: "string" }] }, "x", "a value that fits only one of the alternatives"],
    ["false", { allOf: [false] }, 5, "no value"],
  ])("the keyword %s is put into words", (_, schema, value, expected) => {
    expect(issuesOf(object({ v: schema }), { v: value })).toMatchObject([{ path: "/v", expected }]);
  });

  test("dependent fields, names and unevaluated fields are reported at the field", () => {
    expect(linesOf(object({ b: { type: "integer" } }, { dependentRequired: { a: ["b"] } }), { a: 1 })).toEqual([
      "- missing /b: expected integer",
    ]);
    expect(linesOf({ propertyNames: { pattern: "^[a-z]+$" } }, { A1: 1 })).toEqual([
      '- /A1 (optional): expected a name like: a string that matches ^[a-z]+$, received "A1"',
    ]);
    const closed: JsonObject = {
      allOf: [object({ path: {} })],
      unevaluatedProperties: false,
      properties: { limit: {} },
    };
    expect(linesOf(closed, { path: 1, limti: 2 })).toEqual([
      '- unknown field /limti, received 2; did you mean "limit"?',
    ]);
  });

  test("a union is judged by the branch that the value comes nearest to", () => {
    const shape = (kind: string, properties: JsonObject): JsonObject =>
      object({ kind: { const: kind }, ...properties }, { required: ["kind", ...Object.keys(properties)] });
    const union = object({
      shape: {
        anyOf: [
          shape("circle", { radius: { type: "number" } }),
          shape("box", { width: { type: "number" }, height: { type: "number" } }),
        ],
      },
    });
    expect(linesOf(union, { shape: { kind: "box", width: 1, height: "tall" } })).toEqual([
      '- /shape/height (required): expected number, received "tall"',
    ]);
    expect(linesOf(union, { shape: { kind: "circle" } })).toEqual(["- missing /shape/radius: expected number"]);
    expect(linesOf(union, { shape: 5 })).toEqual(["- /shape (optional): expected object, received 5"]);
  });

  test("references are followed, and paths are escaped as JSON Pointers", () => {
    const schema: JsonObject = {
      $defs: { n: { type: "number" } },
      ...object({ "a/b~c": { items: { $ref: "#/$defs/n" } } }),
    };
    expect(issuesOf(schema, { "a/b~c": [1, "x"] })).toMatchObject([{ path: "/a~1b~0c/1", expected: "number" }]);
  });

  test("an unknown field names the known ones when none is near, and says so when there are none", () => {
    expect(linesOf(search, { query: "x", zzz: 1 })).toEqual([
      '- unknown field /zzz, received 1; leave it out; the fields are "query", "limit", "sort_by", "callback"',
    ]);
    expect(linesOf(object({}, { additionalProperties: false }), { zzz: 1 })).toEqual([
      "- unknown field /zzz, received 1; leave it out; no fields are taken",
    ]);
  });
});

describe("formatIssues", () => {
  test("formatIssues clips what came, however big", () => {
    const issues = issuesOf(object({ a: { type: "integer" }, b: { type: "string" } }), {
      a: "x".repeat(1_000_000),
      b: { c: ["y".repeat(1000)] },
    });
    expect(issues.map(({ received }) => received.length)).toEqual([80, 80]);
  });

  test("formatIssues lists ten issues and counts the others", () => {
    const names = Array.from({ length: 25 }, (_, at) => `field${at}`);
    const lines = linesOf(
      object(Object.fromEntries(names.map((name) => [name, { type: "string" }])), { required: names }),
      {},
    );
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe("- and 15 more");
  });

  test("formatIssues stays below two kilobytes and well-formed, whatever the issues", () => {
    const text = fc.string({ unit: "binary", maxLength: 600 });
    const issue = fc.record({ path: text, expected: text, received: text, optional: fc.boolean(), hint: text });
    fc.assert(
      fc.property(text, fc.array(issue, { minLength: 1, maxLength: 40 }), (name, issues) => {
        const message = formatIssues(name, issues);
        expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
        expect(message.isWellFormed()).toBe(true);
        expect(message.split("\n").length).toBeLessThanOrEqual(12);
      }),
    );
  });

  test("formatIssues counts every issue, listed or not", () => {
    const issue: SchemaIssue = {
      path: "/é".repeat(60),
      expected: "é".repeat(190),
      received: "é".repeat(70),
      optional: true,
      hint: "é".repeat(200),
    };
    const lines = formatIssues(
      "t",
      Array.from({ length: 12 }, () => issue),
    )
      .split("\n")
      .slice(1);
    expect(lines.at(-1)).toBe(`- and ${12 - (lines.length - 1)} more`);
  });
});
