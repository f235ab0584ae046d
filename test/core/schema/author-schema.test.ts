import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ToolmapError } from "../../../src/core/errors.ts";
import { standardValidatorOf, toJsonSchema } from "../../../src/core/schema/author-schema.ts";

/** What an error says, with its code and way out. */
function failureOf(run: () => unknown): string {
  try {
    run();
    return "nothing was thrown";
  } catch (error) {
    return error instanceof ToolmapError ? `${error.code}: ${error.message} | ${error.fix}` : String(error);
  }
}

/** A Standard Schema as a library without JSON Schema has it. */
const validateOnly = (vendor: string): object => ({
  "~standard": { version: 1, vendor, validate: (value: unknown) => ({ value }) },
});

describe("toJsonSchema", () => {
  test("toJsonSchema takes from zod what its input looks like, without zod's own additions", () => {
    const author = z.object({
      city: z.string().describe("A city"),
      days: z.number().int().min(1).default(3),
      when: z.string().transform((text) => new Date(text)),
      tags: z.record(z.string(), z.number()).optional(),
    });
    expect(toJsonSchema(author, "input")).toEqual({
      type: "object",
      properties: {
        city: { type: "string", description: "A city" },
        days: { type: "integer", minimum: 1, default: 3 },
        when: { type: "string" },
        tags: { type: "object", additionalProperties: { type: "number" } },
      },
      required: ["city", "when"],
    });
  });

  test("toJsonSchema takes for an output what its author returns, before any transform", () => {
    expect(toJsonSchema(z.object({ at: z.string().transform((text) => text.length) }), "output")).toEqual({
      type: "object",
      properties: { at: { type: "string" } },
      required: ["at"],
    });
    expect(toJsonSchema(z.array(z.string()), "output")).toEqual({ type: "array", items: { type: "string" } });
  });

  test("toJsonSchema keeps a bound that an author wrote and a field named like a keyword", () => {
    const author = z.object({ minimum: z.number(), propertyNames: z.int().min(-5) });
    expect(toJsonSchema(author, "input")["properties"]).toEqual({
      minimum: { type: "number" },
      propertyNames: { type: "integer", minimum: -5 },
    });
  });

  test("toJsonSchema takes TypeBox and plain JSON Schema as they stand", () => {
    expect(toJsonSchema(Type.Object({ a: Type.Optional(Type.String()), b: Type.Integer() }), "input")).toEqual({
      type: "object",
      required: ["b"],
      properties: { a: { type: "string" }, b: { type: "integer" } },
    });
    const bounds = { type: "integer", minimum: Number.MIN_SAFE_INTEGER };
    const plain = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { a: bounds },
    };
    expect(toJsonSchema(plain, "input")).toEqual({ type: "object", properties: { a: bounds } });
  });

  test("toJsonSchema says object where an input schema says no type", () => {
    expect(toJsonSchema({}, "input")).toEqual({ type: "object" });
    expect(toJsonSchema({ anyOf: [{ required: ["a"] }] }, "input")).toEqual({
      type: "object",
      anyOf: [{ required: ["a"] }],
    });
    expect(toJsonSchema({}, "output")).toEqual({});
  });

  test("toJsonSchema gives a frozen copy, which later changes do not reach", () => {
    const author = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const schema = toJsonSchema(author, "input");
    author.required.push("b");
    author.properties.a.type = "number";
    expect(schema).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    expect(
      Object.isFrozen(schema) && Object.isFrozen(schema["properties"]) && Object.isFrozen(schema["required"]),
    ).toBe(true);
  });

  test("toJsonSchema asks a type that is a function", () => {
    const type = Object.assign(() => undefined, {
      "~standard": {
        version: 1,
        vendor: "arktype",
        validate: (value: unknown) => ({ value }),
        jsonSchema: { input: ({ target }: { target: string }) => ({ type: "object", title: target }) },
      },
    });
    expect(toJsonSchema(type, "input")).toEqual({ type: "object", title: "draft-2020-12" });
  });

  test("toJsonSchema says the way out for a library that cannot say its JSON Schema", () => {
    expect(failureOf(() => toJsonSchema(validateOnly("valibot"), "input"))).toBe(
      'bad-tool: its input schema is of "valibot" and cannot say its JSON Schema | Wrap it: toStandardJsonSchema(schema), from @valibot/to-json-schema.',
    );
    expect(failureOf(() => toJsonSchema(validateOnly("other"), "input"))).toContain("or pass plain JSON Schema");
  });

  test("toJsonSchema refuses what JSON Schema cannot carry", () => {
    expect(failureOf(() => toJsonSchema(z.object({ at: z.date() }), "input"))).toContain(
      "bad-tool: its input schema cannot be said as JSON Schema: Date",
    );
    const refined = Type.Object({ a: Type.Refine(Type.String(), (text) => text.length > 1) });
    expect(failureOf(() => toJsonSchema(refined, "input"))).toContain('has a "~refine" that JSON Schema cannot carry');
    expect(failureOf(() => toJsonSchema({ type: "strng" }, "output"))).toContain(
      'its output schema is not usable at "/type"',
    );
    expect(failureOf(() => toJsonSchema(z.string(), "input"))).toContain('must describe an object, not "string"');
  });
});

describe("standardValidatorOf", () => {
  test("standardValidatorOf is a Standard Schema's validate, and nothing for plain data", async () => {
    const validate = standardValidatorOf(z.object({ n: z.string().transform(Number) }));
    expect(await validate?.({ n: "5" })).toEqual({ value: { n: 5 } });
    expect(await validate?.({ n: 5 })).toHaveProperty("issues");
    expect(standardValidatorOf(Type.Object({}))).toBeUndefined();
    expect(standardValidatorOf({ type: "object", "~standard": 5 })).toBeUndefined();
  });
});
