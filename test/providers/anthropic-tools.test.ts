import type Anthropic from "@anthropic-ai/sdk";
import * as fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { JsonObject, JsonValue, ToolDescriptor } from "toolmap";
import { anthropic, type AnthropicTool } from "toolmap/providers";

function tool(inputSchema: JsonObject, name = "probe"): ToolDescriptor {
  return { name, description: "Probes.", inputSchema, owner: { kind: "custom" } };
}
const schemaOf = (inputSchema: JsonObject): AnthropicTool["input_schema"] | undefined =>
  anthropic.encodeTools([tool(inputSchema)])[0]?.input_schema;

describe("encodeTools", () => {
  test("encodeTools fits the SDK's parameter as it stands", () => {
    expectTypeOf(anthropic.encodeTools([])).toExtend<Anthropic.MessageCreateParams["tools"]>();
    const params: Anthropic.MessageCreateParamsNonStreaming = {
      model: "claude-test",
      max_tokens: 1,
      messages: [anthropic.encodeResults([])],
      tools: anthropic.encodeTools([tool({})]),
    };
    expect(params.tools).toHaveLength(1);
  });

  test("encodeTools sends name, description and schema, and nothing else of a descriptor", () => {
    const [wire] = anthropic.encodeTools([
      { ...tool({ type: "object" }), title: "T", meta: { icon: "x" }, sortKey: "0" },
    ]);
    expect(wire).toEqual({
      name: "probe",
      description: "Probes.",
      input_schema: { type: "object", properties: {} },
    });
  });

  test("SCH-12 encodeTools gives every root the type object and properties", () => {
    for (const schema of [{}, { properties: {} }, { type: ["object", "null"] }, { type: "object", properties: 7 }]) {
      expect(schemaOf(schema)).toEqual({ type: "object", properties: {} });
    }
    // A descriptor built in JavaScript may hold anything.
    expect(schemaOf(null as unknown as JsonObject)).toEqual({ type: "object", properties: {} });
  });

  test("encodeTools keeps every other keyword of the root, but not the dialect", () => {
    const schema = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      description: "d",
      properties: { a: { $ref: "#/$defs/A" } },
      required: ["a", "a"],
      additionalProperties: false,
      $defs: { A: { anyOf: [{ type: "string" }, { type: "null" }] } },
    };
    const { $schema: _, ...rest } = schema;
    expect(schemaOf(schema)).toEqual({ ...rest, required: ["a"] });
  });

  test("SCH-02 encodeTools moves a root choice of required lists into words", () => {
    expect(
      schemaOf({
        type: "object",
        description: "Where to look.",
        properties: { url: { type: "string" }, path: { type: "string" }, line: { type: "integer" } },
        anyOf: [{ required: ["url"] }, { required: ["path", "line"] }],
      }),
    ).toEqual({
      type: "object",
      description: "Where to look.\nAt least one of these must be given: url; path with line.",
      properties: { url: { type: "string" }, path: { type: "string" }, line: { type: "integer" } },
    });
  });

  test("encodeTools shows the properties of a root union", () => {
    const branch = (kind: string, own: string): JsonObject => ({
      type: "object",
      properties: { kind: { const: kind }, [own]: { type: "string" } },
      required: ["kind", own],
      additionalProperties: false,
    });
    expect(schemaOf({ oneOf: [branch("file", "path"), branch("web", "url")] })).toEqual({
      type: "object",
      description: "Exactly one of these must be given: kind with path; kind with url.",
      properties: {
        kind: { anyOf: [{ const: "file" }, { const: "web" }] },
        path: { type: "string" },
        url: { type: "string" },
      },
      required: ["kind"],
    });
  });

  test("encodeTools joins allOf and follows a local reference at the root", () => {
    expect(
      schemaOf({
        $ref: "#/$defs/Base",
        allOf: [{ properties: { size: { minimum: 1 } }, required: ["size"] }],
        $defs: { Base: { properties: { id: { type: "string" }, size: { type: "integer" } }, required: ["id"] } },
      }),
    ).toMatchObject({
      properties: { id: { type: "string" }, size: { allOf: [{ type: "integer" }, { minimum: 1 }] } },
      required: ["id", "size"],
    });
  });

  test("encodeTools does not narrow a property that only one branch speaks of", () => {
    const schema = schemaOf({
      properties: { mode: { type: "string" } },
      anyOf: [{ properties: { mode: { const: "x" } } }, { properties: { other: {} } }],
    });
    expect(schema?.properties).toEqual({ mode: { type: "string" }, other: {} });
  });

  test("encodeTools ends on references that run in circles or multiply", () => {
    const twice = { allOf: Array.from({ length: 40 }, () => ({ $ref: "#/$defs/A" })), properties: { deep: {} } };
    expect(schemaOf({ $ref: "#/$defs/A", $defs: { A: twice } })?.properties).toEqual({ deep: {} });
    expect(schemaOf({ $ref: "#" })?.properties).toEqual({});
    expect(schemaOf({ $ref: "#/constructor" })?.properties).toEqual({});
  });

  test("encodeTools takes a property named __proto__ for a property", () => {
    const schema = schemaOf(JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"}}}]}') as JsonObject);
    expect(Object.getOwnPropertyNames(schema?.properties)).toEqual(["__proto__"]);
  });

  test("TRN-08 encodeTools sends well-formed Unicode only", () => {
    const [wire] = anthropic.encodeTools([
      { ...tool({ properties: { a: { description: "\ud83d|\ude00|\\ud83d|😀" } } }), description: "cut \ud83d" },
    ]);
    expect(wire?.description).toBe("cut \ufffd");
    expect(wire?.input_schema.properties).toEqual({ a: { description: "\ufffd|\ufffd|\\ud83d|😀" } });
  });

  test("encodeTools keeps one request's cache mark out of the next request", () => {
    const tools = [tool({ type: "object" })];
    const marked: Anthropic.Tool[] = anthropic.encodeTools(tools);
    for (const each of marked) each.cache_control = { type: "ephemeral" };
    expect(anthropic.encodeTools(tools)[0]).not.toHaveProperty("cache_control");
    expect(() => void (anthropic.encodeTools(tools)[0]!.input_schema["x"] = 1)).toThrow(TypeError);
  });

  test("encodeTools builds a schema once for each descriptor", () => {
    const one = tool({ anyOf: [{ required: ["a"] }] });
    expect(anthropic.encodeTools([one])[0]?.input_schema).toBe(anthropic.encodeTools([one])[0]?.input_schema);
  });

  test("encodeTools is stable: equal descriptors give equal bytes, and the API's rules hold, for any schema", () => {
    fc.assert(
      fc.property(anySchema, (schema) => {
        const before = JSON.stringify(schema);
        const bytes = JSON.stringify(anthropic.encodeTools([tool(schema)]));
        expect(JSON.stringify(anthropic.encodeTools([tool(structuredClone(schema))]))).toBe(bytes);
        expect(JSON.stringify(schema)).toBe(before);

        const wire = (JSON.parse(bytes) as AnthropicTool[])[0]!.input_schema;
        expect(wire.type).toBe("object");
        for (const keyword of ["anyOf", "oneOf", "allOf", "$ref"]) expect(wire).not.toHaveProperty([keyword]);
        for (const name of Object.keys(wire.properties as object)) expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/);
        expect(new Set(wire.required).size).toBe(wire.required?.length ?? 0);
      }),
    );
  });
});

describe("property names that the API refuses", () => {
  const odata = tool({
    properties: { $filter: { type: "string" }, "user name": {}, user_name: {}, ["x".repeat(80)]: {}, "": {} },
    required: ["$filter", "user_name"],
  });

  test("SCH-16 encodeTools shows them under safe aliases", () => {
    expect(anthropic.encodeTools([odata])[0]?.input_schema).toEqual({
      type: "object",
      properties: { _filter: { type: "string" }, user_name_2: {}, user_name: {}, ["x".repeat(58)]: {}, _: {} },
      required: ["_filter", "user_name"],
    });
  });

  test("SCH-16 decodeCalls maps the aliases back", () => {
    const input = { _filter: "a", user_name_2: 1, user_name: 2, ["x".repeat(58)]: 3, _: 4, other: 5 };
    const [call] = anthropic.decodeCalls(
      { content: [{ type: "tool_use", id: "t", name: "probe", input } as { type: string }] },
      [odata],
    );
    expect(call?.input).toEqual({
      $filter: "a",
      "user name": 1,
      user_name: 2,
      ["x".repeat(80)]: 3,
      "": 4,
      other: 5,
    });
  });

  test("aliases are one to one for any set of names", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: "binary", maxLength: 80 })), (names) => {
        const probe = tool({ properties: Object.fromEntries(names.map((name, at) => [name, { const: at }])) });
        const wire = anthropic.encodeTools([probe])[0]!.input_schema.properties as Record<string, { const: number }>;
        const sent = Object.fromEntries(Object.entries(wire).map(([name, schema]) => [name, schema.const]));
        const block = { type: "tool_use", id: "t", name: "probe", input: sent };
        const [call] = anthropic.decodeCalls({ content: [block] }, [probe]);
        expect(call?.input).toEqual(Object.fromEntries(names.map((name, at) => [name, at])));
      }),
    );
  });
});

/** JSON objects rich in the keywords that matter here, three levels deep. */
function schemaOver(inner: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const value: fc.Arbitrary<JsonValue> = fc.oneof(
    fc.constantFrom("object", "#/$defs/a", "#", "\ud800", 1, null, true),
    fc.array(fc.string({ maxLength: 3 }), { maxLength: 3 }),
    fc.array(inner, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b c", "$d", "__proto__"), inner, { maxKeys: 3 }),
  );
  const keyword = fc.constantFrom(
    "type",
    "properties",
    "required",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "title",
  );
  return fc.dictionary(keyword, value, { maxKeys: 6 });
}
const anySchema = schemaOver(schemaOver(schemaOver(fc.constant({}))));
