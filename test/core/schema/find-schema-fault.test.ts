import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findSchemaFault } from "../../../src/core/schema/find-schema-fault.ts";

const said = (schema: unknown, side?: "input" | "output"): string => {
  const fault = findSchemaFault(schema, side);
  return fault ? `${fault.path} ${fault.message}` : "fine";
};

describe("findSchemaFault", () => {
  test.each<[string, unknown]>([
    ["an empty schema", {}],
    ["no type", { properties: { a: true, b: { type: ["string", "null"] } } }],
    ["object among types", { type: ["object", "null"] }],
    ["a reference at the root", { $ref: "#/definitions/in", definitions: { in: { type: "object" } } }],
    [
      "a recursive schema",
      {
        type: "object",
        properties: { sub: { $ref: "#" }, list: { items: { anyOf: [{ $ref: "#" }, { type: "null" }] } } },
      },
    ],
    ["a reference to an id", { properties: { a: { $ref: "item" } }, $defs: { x: { $id: "item", type: "string" } } }],
    ["a reference to an anchor", { properties: { a: { $ref: "#it" } }, $defs: { x: { $anchor: "it" } } }],
    ["a reference inside a resource", { $defs: { x: { $id: "https://e.x/y", $ref: "#/$defs/z", $defs: { z: {} } } } }],
    ["a reference with an escaped name", { properties: { a: { $ref: "#/$defs/a~1b%20c" } }, $defs: { "a/b c": {} } }],
    [
      "draft 7",
      {
        definitions: {},
        dependencies: { a: ["b"], c: { required: ["d"] } },
        properties: { t: { items: [{}, true], additionalItems: false } },
      },
    ],
    [
      "a field named like a keyword",
      { properties: { type: { type: "string" }, required: { type: "boolean" }, $ref: { type: "string" } } },
    ],
    [
      "data that looks like a schema",
      { default: { type: "strng" }, examples: [{ required: 5 }], "x-own": { properties: 5 } },
    ],
    ["members that are undefined", { type: "object", title: undefined, properties: { a: undefined } }],
    ["draft 4 limits", { properties: { a: { exclusiveMinimum: true, minimum: 1 } } }],
  ])("findSchemaFault finds nothing in %s", (_, schema) => {
    expect(said(schema)).toBe("fine");
  });

  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { self: cyclic };
  test.each<[string, unknown, string]>([
    [
      "a type that does not exist",
      { properties: { a: { type: "strng" } } },
      '/properties/a/type "strng" is no type of JSON Schema',
    ],
    ["no types", { properties: { a: { type: [] } } }, "/properties/a/type a list is no type"],
    [
      "properties that are a list",
      { properties: [] },
      '/properties "properties" must be an object of schemas, not a list',
    ],
    [
      "a field that is text",
      { properties: { a: "string" } },
      '/properties/a a schema must be an object or a boolean, not "string"',
    ],
    [
      "a required flag",
      { properties: { a: { required: true } } },
      '/properties/a/required "required" must list field names, not true',
    ],
    ["required names that are numbers", { required: [1] }, "/required"],
    ["a union that is no list", { anyOf: {} }, '/anyOf "anyOf" must be a list of schemas, not an object'],
    ["a branch that is null", { oneOf: [{}, null] }, "/oneOf/1 a schema must be an object or a boolean, not null"],
    ["items that are text", { properties: { a: { items: "string" } } }, "/properties/a/items a schema must be"],
    ["an enum that is no list", { properties: { a: { enum: "x" } } }, "/properties/a/enum"],
    ["a pattern that is none", { properties: { a: { pattern: "(?P<x>a)" } } }, "/properties/a/pattern"],
    ["a name pattern that is none", { patternProperties: { "(": {} } }, "/patternProperties/( "],
    [
      "a limit that is text",
      { properties: { a: { minLength: "5" } } },
      '/properties/a/minLength "minLength" must be a number',
    ],
    [
      "a reference to nothing",
      { properties: { "a/b": { $ref: "#/$defs/x" } } },
      '/properties/a~1b/$ref it refers to "#/$defs/x", but nothing',
    ],
    ["a reference elsewhere", { properties: { a: { $ref: "https://e.x/y.json" } } }, "nothing is fetched"],
    ["a dynamic reference to nothing", { $dynamicRef: "#here" }, '/$dynamicRef it refers to "#here", but nothing'],
    ["a reference that is no text", { properties: { a: { $ref: 5 } } }, '/properties/a/$ref "$ref" must be text'],
    ["a reference to itself", { $ref: "#" }, " its references lead back to themselves without end"],
    [
      "references in a ring",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } } },
      "without end",
    ],
    ["a cycle", cyclic, " it nests more than 100 levels deep, or holds itself"],
    [
      "a function",
      { properties: { a: { default: () => 1 } } },
      "/properties/a/default a schema must be JSON, and this holds a value of type function",
    ],
    ["a symbol", { title: Symbol("x") }, "/title a schema must be JSON"],
    ["a bigint in an unknown keyword", { "x-max": { n: 1n } }, "/x-max/n a schema must be JSON"],
    ["a field named __proto__", JSON.parse('{"properties":{"__proto__":{}}}'), "/properties/__proto__"],
    ["a list", [], " a tool's schema must be a JSON object"],
    ["a boolean", true, " a tool's schema must be a JSON object"],
    ["nothing", undefined, " a tool's schema must be a JSON object"],
    ["text at the root", { type: "string" }, '/type the schema of an input must describe an object, not "string"'],
  ])("findSchemaFault finds %s", (_, schema, fault) => {
    expect(said(schema)).toContain(fault);
  });

  test("findSchemaFault takes any type at the root of an output", () => {
    expect(said({ type: "string" }, "output")).toBe("fine");
    expect(said({ type: "strng" }, "output")).toContain("no type");
  });

  test("findSchemaFault finds unions that multiply", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level < 30; level++) {
      const ref = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { anyOf: [ref, ref] };
    }
    expect(said({ $defs })).toContain("multiply to more than 10000 ways");
  });

  test("findSchemaFault survives a getter that throws and a revoked proxy", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(said(proxy)).toContain("cannot be read");
    expect(
      said({
        get properties(): never {
          throw new Error("no");
        },
      }),
    ).toContain("cannot be read");
  });

  test("findSchemaFault answers for any value, at once", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4, withBigInt: true, withSet: true, withNullPrototype: true }), (value) => {
        const fault = findSchemaFault(value);
        if (fault) expect(fault.message).not.toBe("");
        findSchemaFault({ properties: { a: value }, anyOf: value, required: value, $ref: value, enum: value });
      }),
      { numRuns: 1000 },
    );
  });
});
