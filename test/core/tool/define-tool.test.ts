import { Type } from "typebox";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { ToolmapError } from "../../../src/core/errors.ts";
import { defineTool } from "../../../src/core/tool/define-tool.ts";
import { AUTHOR_VALIDATE, type ToolContext } from "../../../src/core/tool/tool.ts";

/** `execute` of these tools reads nothing of it. */
const context = {} as ToolContext;

const base = { name: "weather", description: "Tells the weather.", input: { type: "object" } } as const;

describe("defineTool", () => {
  test("defineTool makes a frozen tool of the program's own", () => {
    const tool = defineTool({
      ...base,
      title: "Weather",
      input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      output: { type: "string" },
      annotations: { readOnlyHint: true },
      availability: { kind: "env", name: "WEATHER_KEY" },
      sortKey: "a",
      timeoutMs: 1000,
      exclusive: true,
      override: false,
      execute: ({ city }) => `Sunny in ${city}`,
    });
    expect(tool.descriptor).toEqual({
      name: "weather",
      title: "Weather",
      description: "Tells the weather.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      outputSchema: { type: "string" },
      owner: { kind: "custom" },
      executor: { kind: "custom", toolName: "weather" },
      annotations: { readOnlyHint: true },
      availability: { kind: "env", name: "WEATHER_KEY" },
      sortKey: "a",
    });
    expect(tool).toMatchObject({ timeoutMs: 1000, exclusive: true, override: false });
    expect(tool.execute({ city: "Oslo" }, context)).toBe("Sunny in Oslo");
    const { descriptor } = tool;
    for (const part of [
      tool,
      descriptor,
      descriptor.owner,
      descriptor.inputSchema,
      descriptor.annotations,
      descriptor.availability,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  test("defineTool has only the members that were given", () => {
    const tool = defineTool({ ...base, execute: () => 1 });
    expect(Object.keys(tool)).toEqual(["descriptor", "execute"]);
    expect(Object.keys(tool.descriptor)).toEqual(["name", "description", "inputSchema", "owner", "executor"]);
    expect(AUTHOR_VALIDATE in tool).toBe(false);
  });

  test("defineTool leaves what the author holds alone", () => {
    const [annotations, availability, input] = [
      { readOnlyHint: true },
      { kind: "always" as const },
      { type: "object" as const },
    ];
    defineTool({ ...base, input, annotations, availability, execute: () => 1 });
    expect([annotations, availability, input].some((part) => Object.isFrozen(part))).toBe(false);
  });

  test("defineTool keeps a Standard Schema's validate where a spread copy keeps it too", async () => {
    const tool = defineTool({
      ...base,
      input: z.object({ n: z.string().transform(Number) }),
      execute: ({ n }) => n + 1,
    });
    const copy = { ...tool };
    expect(await copy[AUTHOR_VALIDATE]?.({ n: "5" })).toEqual({ value: { n: 5 } });
    expect(copy.execute({ n: 5 }, context)).toBe(6);
  });

  test("defineTool calls an author's functions as methods of what they wrote", async () => {
    const definition = {
      ...base,
      city: "Oslo",
      execute(): string {
        return this.city;
      },
      resources(): readonly { key: string; mode: "read" }[] {
        return [{ key: this.city, mode: "read" }];
      },
      async preview() {
        return [{ type: "text" as const, text: this.city }];
      },
      async revert(): Promise<void> {
        this.city = "reverted";
      },
    };
    const tool = defineTool(definition);
    expect(tool.execute({}, context)).toBe("Oslo");
    expect(tool.resources?.({})).toEqual([{ key: "Oslo", mode: "read" }]);
    expect(await tool.preview?.({})).toEqual([{ type: "text", text: "Oslo" }]);
    const result = { callId: "1", name: "weather", outcome: "ok", isError: false, content: [] } as const;
    await tool.revert?.({ callId: "1", name: "weather", input: {}, result, at: "2026-01-01T00:00:00Z" });
    expect(definition.city).toBe("reverted");
  });

  test("defineTool accepts an empty description and a schema without type", () => {
    const tool = defineTool({ name: "_a-1", description: "", input: {}, execute: () => 1 });
    expect(tool.descriptor).toMatchObject({ description: "", inputSchema: { type: "object" } });
  });

  test.each<[string, object, string, string]>([
    [
      "a name with a blank",
      { name: "my tool" },
      '"my tool" cannot be defined: no model provider takes this name',
      "Use letters",
    ],
    ["a name that is too long", { name: "a".repeat(65) }, "no model provider takes this name", "at most 64"],
    ["no name", { name: undefined }, "no model provider takes this name", "Use letters"],
    ["no description", { description: undefined }, "its description must be text", "Say what it does"],
    ["no execute", { execute: undefined }, "its execute must be a function", "execute: async (input)"],
    ["resources that are a list", { resources: [] }, "its resources must be a function", "Leave resources out"],
    ["no input", { input: undefined }, "its input must be a schema", "zod"],
    ["an output that is text", { output: "string" }, "its output must be a schema", "Leave output out"],
    ["a timeout of zero", { timeoutMs: 0 }, "its timeoutMs must be a positive number", "Leave timeoutMs out"],
    [
      "a timeout without end",
      { idleTimeoutMs: Infinity },
      "its idleTimeoutMs must be a positive number",
      "Leave idleTimeoutMs out",
    ],
    [
      "a type that does not exist",
      { input: { properties: { a: { type: "strng" } } } },
      'at "/properties/a/type": "strng" is no type',
      "Correct it there",
    ],
    [
      "an input of valibot",
      { input: { "~standard": { version: 1, vendor: "valibot", validate: () => ({}) } } },
      "cannot say its JSON Schema",
      "toStandardJsonSchema",
    ],
    [
      "an availability that is code",
      { availability: { kind: "always", test: () => true } },
      "its availability is not plain JSON",
      "Name signals",
    ],
  ])("defineTool refuses %s, naming the tool and the way out", (_, wrong, message, fix) => {
    const definition = { ...base, execute: () => 1, ...wrong };
    const run = (): unknown => Reflect.apply(defineTool, undefined, [definition]);
    expect(run).toThrow(ToolmapError);
    expect(run).toThrow(expect.objectContaining({ code: "bad-tool" }));
    expect(run).toThrow(message);
    expect(run).toThrow(/^The tool .*cannot be defined: .*\.$/);
    expect(run).toThrow(expect.objectContaining({ fix: expect.stringContaining(fix) as string }));
  });

  test("defineTool takes a TypeBox schema", () => {
    const tool = defineTool({ ...base, input: Type.Object({ n: Type.Integer() }), execute: ({ n }) => n * 2 });
    expect(tool.descriptor.inputSchema).toEqual({
      type: "object",
      required: ["n"],
      properties: { n: { type: "integer" } },
    });
    expect(tool.execute({ n: 2 }, context)).toBe(4);
  });
});
