import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/core/json.ts";
import { checkValue } from "../../../src/core/schema/check-value.ts";
import { loadSchemaEngine } from "../../../src/core/schema/compile-schema.ts";

beforeAll(loadSchemaEngine);

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

/** The value that passed with its coercions, or what was wrong. */
function outcome(schema: JsonObject, value: unknown): unknown {
  const checked = checkValue(schema, value);
  if (!checked.ok) return checked.issues.map(({ path, expected, received }) => `${path}: ${expected} <- ${received}`);
  const coercions = checked.coercions.map(({ path, from, to }) => `${path} ${from} -> ${to}`);
  return coercions.length === 0 ? checked.value : [checked.value, ...coercions];
}

describe("checkValue on a value that fits", () => {
  const schema = object({ a: { type: "string" }, list: { type: "array" } }, { required: ["a"] });

  test("checkValue returns its own frozen copy, and leaves the value given alone", () => {
    const given = { a: "x", list: [{ b: 1 }] };
    const checked = checkValue(schema, given);
    expect(checked).toEqual({ ok: true, value: given, coercions: [] });
    const value = checked.ok ? (checked.value as unknown as typeof given) : given;
    expect(value).not.toBe(given);
    expect([value, value.list, value.list[0]].every((each) => Object.isFrozen(each))).toBe(true);
    expect([given, given.list, given.list[0]].some((each) => Object.isFrozen(each))).toBe(false);
  });

  test("checkValue takes frozen values, values without a prototype and values of classes", () => {
    class Query {
      a = "x";
      get b(): number {
        return 1;
      }
    }
    expect(outcome(schema, Object.freeze({ a: "x" }))).toEqual({ a: "x" });
    expect(outcome(schema, Object.assign(Object.create(null) as object, { a: "x" }))).toEqual({ a: "x" });
    expect(outcome(schema, new Query())).toEqual({ a: "x" });
    expect(outcome(schema, Object.assign(Object.create({ list: 5 }) as object, { a: "x" }))).toEqual({ a: "x" });
  });

  test("checkValue leaves undefined members out", () => {
    expect(Object.keys(outcome(schema, { a: "x", list: undefined }) as object)).toEqual(["a"]);
  });

  test("checkValue changes nothing of text that fits", () => {
    const open = object({ text: { type: "string" }, any: {}, either: { type: ["string", "number"] } });
    for (const text of ["5", "true", '["x"]', "{}", "null", " 7 "]) {
      expect(outcome(open, { text, any: text, either: text })).toEqual({ text, any: text, either: text });
    }
  });
});

describe("checkValue on what is no JSON", () => {
  const anything: JsonObject = {};
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const throwing = {
    get bad(): never {
      throw new Error("no");
    },
  };
  let wide: unknown = {};
  for (let level = 0; level < 60; level++) wide = { a: wide, b: wide };
  let deep: unknown = 1;
  for (let level = 0; level < 20_000; level++) deep = [deep];

  test.each([
    ["a function", { f: () => 1 }, "/f: a JSON value <- a value of type function"],
    ["a symbol", { s: Symbol("x") }, "/s: a JSON value <- a value of type symbol"],
    ["a bigint", { list: [1n] }, "/list/0: a JSON value <- a value of type bigint"],
    ["NaN", { n: Number.NaN }, "/n: a JSON value <- NaN"],
    ["Infinity", [Infinity], "/0: a JSON value <- Infinity"],
    ["a hole", [1, undefined], "/1: a JSON value <- a value of type undefined"],
    ["nothing", undefined, ": a JSON value <- a value of type undefined"],
    ["a Date", { at: new Date(0) }, "/at: a JSON value <- an object of kind Date"],
    ["a Map", { "a/b": new Map() }, "/a~1b: a JSON value <- an object of kind Map"],
    ["a cycle", { cyclic }, "more than 512 levels, or an object that holds itself"],
    ["an object that holds itself many times over", wide, "more than 1000000 values"],
    ["depth", deep, "more than 512 levels"],
    ["a getter that throws", { throwing }, "/throwing/bad: a JSON value <- a member that cannot be read"],
    [
      "a member named __proto__",
      JSON.parse('{"a":{"__proto__":{"x":1}}}'),
      "/a/__proto__: a JSON value <- a member named __proto__",
    ],
    ["a revoked proxy", revoked(), ": a JSON value <- an object that cannot be read"],
  ])("checkValue refuses %s, with its place", (_, value, issue) => {
    expect(String(outcome(anything, value))).toContain(issue);
  });

  function revoked(): unknown {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  }

  test("checkValue pollutes no prototype", () => {
    outcome(anything, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(outcome(anything, JSON.parse('{"constructor":1,"toString":2}'))).toEqual({ constructor: 1, toString: 2 });
  });
});

describe("checkValue on text that means another type", () => {
  test("ARG-01 an array that comes as a JSON string is read, on record", () => {
    const schema = object({ tags: { type: "array", items: { type: "string" } } });
    expect(outcome(schema, { tags: '["x"]' })).toEqual([{ tags: ["x"] }, '/tags "[\\"x\\"]" -> ["x"]']);
    expect(outcome(schema, { tags: "[]" })).toEqual([{ tags: [] }, '/tags "[]" -> []']);
    expect(outcome(schema, { tags: ["[]"] })).toEqual({ tags: ["[]"] });
    expect(outcome(schema, { tags: "x" })).toEqual(['/tags: array of string <- "x"']);
    expect(outcome(schema, { tags: "[1" })).toEqual(['/tags: array of string <- "[1"']);
  });

  test("ARG-03 numbers and booleans that come as text are read, and nothing that only begins like one", () => {
    const schema = object({ limit: { type: "integer" }, deep: { type: "boolean" }, ratio: { type: "number" } });
    expect(outcome(schema, { limit: "20", deep: "false", ratio: "-0.5" })).toEqual([
      { limit: 20, deep: false, ratio: -0.5 },
      '/limit "20" -> 20',
      '/deep "false" -> false',
      '/ratio "-0.5" -> -0.5',
    ]);
    expect(outcome(schema, { limit: "20 lines" })).toEqual(['/limit: integer <- "20 lines"']);
  });

  test.each(["20 lines", "007", "1.0", "+1", "0x10", "1e3", " 5", "", "-0", "Infinity", "12345678901234567890", "1.5"])(
    "ARG-03 %j is no integer",
    (text) => expect(outcome(object({ n: { type: "integer" } }), { n: text })).toHaveLength(1),
  );

  test.each(["True", "yes", "1", "0", "", "no"])("ARG-03 %j is no boolean", (text) =>
    expect(outcome(object({ b: { type: "boolean" } }), { b: text })).toHaveLength(1),
  );

  test("checkValue reads only text, never another type as text or as a list", () => {
    const schema = object({
      s: { type: "string" },
      b: { type: "boolean" },
      l: { type: "array" },
      n: { type: "number" },
    });
    for (const value of [
      { s: 5 },
      { s: true },
      { b: 1 },
      { l: 5 },
      { l: {} },
      { n: true },
      { n: null, s: {} },
      { n: [5] },
    ]) {
      expect(checkValue(schema, value).ok).toBe(false);
    }
  });

  test("checkValue reads the whole input and nested fields, each once", () => {
    const inner = object({ n: { type: "integer" } }, { required: ["n"] });
    const schema = object({
      rows: { type: "array", items: inner },
      map: { type: "object", additionalProperties: inner },
    });
    expect(outcome(schema, { rows: '[{"n":"1"}]', map: { x: { n: "2" } } })).toEqual([
      { rows: [{ n: 1 }], map: { x: { n: 2 } } },
      '/rows "[{\\"n\\":\\"1\\"}]" -> [{"n":1}]',
      '/rows/0/n "1" -> 1',
      '/map/x/n "2" -> 2',
    ]);
    expect(outcome(inner, '{"n":"3"}')).toEqual([{ n: 3 }, ' "{\\"n\\":\\"3\\"}" -> {"n":3}', '/n "3" -> 3']);
  });

  test("checkValue follows $ref, allOf, tuples, patterns and conditions", () => {
    const int = { type: "integer" };
    const cases: readonly [JsonObject, JsonValue, JsonValue][] = [
      [{ $defs: { id: int }, ...object({ id: { $ref: "#/$defs/id" } }) }, { id: "1" }, { id: 1 }],
      [{ $defs: { id: { $anchor: "id", ...int } }, ...object({ id: { $ref: "#id" } }) }, { id: "1" }, { id: 1 }],
      [{ allOf: [object({ a: int }), object({ b: int })] }, { a: "1", b: "2" }, { a: 1, b: 2 }],
      [
        object({ t: { prefixItems: [{ type: "string" }, int], items: { type: "boolean" } } }),
        { t: ["1", "1", "true"] },
        { t: ["1", 1, true] },
      ],
      [object({ t: { items: [{ type: "string" }, int] } }), { t: ["1", "1"] }, { t: ["1", 1] }],
      [
        { type: "object", patternProperties: { "^n": int } },
        { n1: "1", m: "1" },
        { n1: 1, m: "1" },
      ],
      [{ if: { required: ["a"] }, then: object({ a: int }), else: object({ b: int }) }, { a: "1" }, { a: 1 }],
      [object({ n: { enum: [1, 2, 3] } }), { n: "2" }, { n: 2 }],
      [object({ n: { const: true } }), { n: "true" }, { n: true }],
      [object({ n: { type: ["integer", "null"] } }), { n: "2" }, { n: 2 }],
    ];
    for (const [schema, value, expected] of cases)
      expect(checkValue(schema, value)).toMatchObject({ ok: true, value: expected });
  });

  test("checkValue never coerces what a union takes as it is, and no union with two readings", () => {
    const schema = (...branches: JsonObject[]): JsonObject => object({ v: { anyOf: branches } });
    expect(outcome(schema({ type: "string" }, { type: "integer" }), { v: "007" })).toEqual({ v: "007" });
    expect(outcome(schema({ type: "integer" }, { type: "number" }), { v: "7" })).toMatchObject([{ v: 7 }, {}]);
    expect(outcome(schema({ type: "boolean" }, { type: "null" }), { v: "true" })).toMatchObject([{ v: true }, {}]);
    const ambiguous = schema(
      object({ a: { type: "integer" }, b: { type: "string" } }),
      object({ a: { type: "string" }, b: { type: "integer" } }),
    );
    expect(checkValue(ambiguous, { v: { a: "1", b: "2" } }).ok).toBe(false);
  });

  test("checkValue coerces inside the one branch of a union that leads anywhere", () => {
    const branch = (kind: string, field: JsonObject): JsonObject =>
      object({ kind: { const: kind }, n: field }, { required: ["kind", "n"] });
    const schema = object({ v: { oneOf: [branch("int", { type: "integer" }), branch("flag", { type: "boolean" })] } });
    expect(outcome(schema, { v: { kind: "int", n: "5" } })).toEqual([{ v: { kind: "int", n: 5 } }, '/v/n "5" -> 5']);
    expect(outcome(schema, { v: { kind: "flag", n: "5" } })).toHaveLength(1);
  });
});

describe("checkValue on null", () => {
  const schema = object({ term: { type: "string" }, max: { type: "number", default: 10 } }, { required: ["term"] });

  test("ARG-05 a null for an optional field that takes no null is absent, and its default applies", () => {
    expect(outcome(schema, { term: "boats", max: null })).toEqual([{ term: "boats", max: 10 }, "/max null -> absent"]);
    const plain = object({ a: { type: "string" } });
    expect(outcome(plain, { a: null })).toEqual([{}, "/a null -> absent"]);
  });

  test("ARG-05 a null for a required field, for an unknown one and in a list is refused", () => {
    expect(outcome(schema, { term: null })).toEqual(["/term: string <- null"]);
    expect(outcome(object({}, { additionalProperties: false }), { x: null })).toHaveLength(1);
    expect(outcome(object({ l: { type: "array", items: { type: "string" } } }), { l: [null] })).toHaveLength(1);
  });

  test("ARG-05 a null that the field takes stays", () => {
    expect(outcome(object({ a: { type: ["string", "null"], default: "x" } }), { a: null })).toEqual({ a: null });
    expect(outcome(object({ a: {} }), { a: null })).toEqual({ a: null });
  });
});

describe("checkValue on absent fields", () => {
  test("checkValue fills defaults at the root and in the objects that are there", () => {
    const schema: JsonObject = {
      $defs: { page: object({ size: { type: "integer", default: 20 } }) },
      ...object({
        sort: { enum: ["new", "old"], default: "new" },
        page: { $ref: "#/$defs/page" },
        rows: { type: "array", items: object({ tags: { type: "array", default: ["a"] } }) },
      }),
    };
    expect(outcome(schema, {})).toEqual({ sort: "new" });
    expect(outcome(schema, { sort: "old", page: {}, rows: [{}, { tags: [] }] })).toEqual({
      sort: "old",
      page: { size: 20 },
      rows: [{ tags: ["a"] }, { tags: [] }],
    });
  });

  test("checkValue fills a required field that has a default", () => {
    expect(outcome(object({ n: { type: "integer", default: 1 } }, { required: ["n"] }), {})).toEqual({ n: 1 });
  });

  test("checkValue gives each call a default of its own", () => {
    const schema = object({ list: { type: "array", default: [{}] } });
    const [one, two] = [outcome(schema, {}), outcome(schema, {})] as { list: object[] }[];
    expect(one).toEqual({ list: [{}] });
    expect(one?.list).not.toBe(two?.list);
    expect(Object.isFrozen(schema["properties"])).toBe(false);
  });

  test("checkValue ignores a default that does not fit, and defaults that break what fitted", () => {
    expect(outcome(object({ n: { type: "integer", default: "many" } }), {})).toEqual({});
    expect(outcome(object({ a: { default: 1 }, b: { default: 2 } }, { maxProperties: 1 }), {})).toEqual({});
  });

  test("checkValue with coerce: false changes nothing and still says no", () => {
    const schema = object({ n: { type: "integer", default: 1 } });
    expect(checkValue(schema, {}, { coerce: false })).toEqual({ ok: true, value: {}, coercions: [] });
    expect(checkValue(schema, { n: "5" }, { coerce: false }).ok).toBe(false);
  });
});

describe("checkValue with a schema that cannot be trusted", () => {
  test("checkValue says that a schema cannot be read", () => {
    for (const schema of [{ type: "string", pattern: "(" }, { patternProperties: { "[": {} } }]) {
      const checked = checkValue(schema, "x");
      expect(checked.ok ? "ok" : checked.issues.map(({ expected }) => expected)).toEqual([
        "a value that can be checked, but the tool's schema cannot be read",
      ]);
    }
  });

  const nested = (levels: number, end: JsonValue): JsonValue => {
    let value = end;
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  const tooMuch = ["a value that can be checked against this recursive schema in reasonable time"];
  const expectedOf = (schema: JsonObject, value: JsonValue): readonly string[] => {
    const checked = checkValue(schema, value);
    return checked.ok ? ["ok"] : checked.issues.map(({ expected }) => expected);
  };

  test("checkValue does bounded work for unions below unions", () => {
    const $defs: Record<string, JsonObject> = { d0: { type: "integer" } };
    for (let level = 1; level < 40; level++) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = object({ a: { anyOf: [ref, { ...ref, minProperties: 0 }] } });
    }
    expect(expectedOf({ $defs, $ref: "#/$defs/d39" }, nested(39, "x"))).toEqual(tooMuch);
    expect(expectedOf({ $defs, $ref: "#/$defs/d39" }, nested(39, 1))).toEqual(["ok"]);
  });

  test("checkValue does bounded work for a schema that recurs in more than one branch", () => {
    const twice: JsonObject = {
      anyOf: [{ type: "integer" }, object({ a: { $ref: "#" } }), object({ a: { $ref: "#" } })],
    };
    expect(expectedOf(twice, nested(60, "x"))).toEqual(tooMuch);
    expect(expectedOf(twice, nested(60, 1))).toEqual(["ok"]);
    expect(expectedOf({ allOf: [object({ a: { $ref: "#" } }), object({ a: { $ref: "#" } })] }, nested(60, {}))).toEqual(
      tooMuch,
    );
  });

  test("checkValue takes a deep value of an honest recursive schema", () => {
    const kinds = ["and", "or", "not"].map((op) =>
      object({ op: { const: op }, a: { $ref: "#/$defs/filter" } }, { required: ["op"] }),
    );
    const filter: JsonObject = {
      $defs: { filter: { oneOf: [...kinds, { type: "integer" }] } },
      $ref: "#/$defs/filter",
    };
    let value: JsonValue = 1;
    for (let level = 0; level < 100; level++) value = { op: ["and", "or", "not"][level % 3] ?? "", a: value };
    expect(expectedOf(filter, value)).toEqual(["ok"]);
  });
});

describe("checkValue, for any value and schema", () => {
  const leaf = fc.constantFrom<JsonObject>(
    { type: "string" },
    { type: "integer" },
    { type: "number", minimum: 3 },
    { type: "boolean" },
    { type: ["string", "null"] },
    { type: "string", format: "uri" },
    { enum: [1, "a", null] },
    { type: "integer", default: 4 },
    { type: "string", default: 4 },
    {},
    { not: {} },
    { $ref: "#/nowhere" },
    { $ref: "#" },
    { type: "strng" },
    { pattern: "(" },
  );
  const names = ["a", "b", "c"];
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthIdentifier: "schema" },
      leaf,
      fc
        .tuple(fc.dictionary(fc.constantFrom(...names), tie("schema")), fc.subarray(names), fc.boolean())
        .map(([properties, required, isOpen]) => object(properties, { required, additionalProperties: isOpen })),
      tie("schema").map((items) => ({ type: "array", items })),
      fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
      fc.array(tie("schema"), { maxLength: 2 }).map((allOf) => ({ allOf })),
    ),
  }));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: "value" },
      fc.constantFrom<JsonValue>("1", "4", "true", "x", "", '{"a":"1"}', "[1]", null, 1, 4, 1.5, true),
      fc.dictionary(fc.constantFrom(...names), tie("value")),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  }));
  const without = (plain: JsonObject): JsonObject =>
    JSON.parse(JSON.stringify(plain).replaceAll('"default"', '"title"')) as JsonObject;

  test("whatever fits comes back equal and without coercions", () => {
    fc.assert(
      fc.property(schema, value, (schema, value) => {
        const plain = without(schema);
        if (!checkValue(plain, value, { coerce: false }).ok) return;
        expect(checkValue(plain, value)).toEqual({ ok: true, value, coercions: [] });
      }),
      { numRuns: 500 },
    );
  });

  test("whatever changed is on record, and a value that passed passes again unchanged", () => {
    fc.assert(
      fc.property(schema, value, (schema, value) => {
        const checked = checkValue(without(schema), value);
        if (!checked.ok) return;
        if (checked.coercions.length === 0) expect(checked.value).toEqual(value);
        else expect(checked.value).not.toEqual(value);
        expect(checkValue(without(schema), checked.value)).toEqual({ ok: true, value: checked.value, coercions: [] });
      }),
      { numRuns: 500 },
    );
  });

  test("it never throws, freezes what passes, leaves the value alone and says why otherwise", () => {
    fc.assert(
      fc.property(
        schema,
        fc.oneof(
          value,
          fc.anything({
            withBigInt: true,
            withMap: true,
            withDate: true,
            withNullPrototype: true,
            withSparseArray: true,
          }),
        ),
        (schema, value) => {
          const checked = checkValue(schema, value);
          if (typeof value === "object" && value !== null) expect(Object.isFrozen(value)).toBe(false);
          if (checked.ok) expect(Object.isFrozen(checked.value)).toBe(true);
          else expect(checked.issues.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("what passes with defaults passes without being changed again", () => {
    fc.assert(
      fc.property(schema, value, (schema, value) => {
        const checked = checkValue(schema, value);
        if (checked.ok)
          expect(checkValue(schema, checked.value)).toEqual({ ok: true, value: checked.value, coercions: [] });
      }),
      { numRuns: 500 },
    );
  });
});
