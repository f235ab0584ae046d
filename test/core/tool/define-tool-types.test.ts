import { Type } from "typebox";
import { expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../../../src/core/json.ts";
import { defineTool } from "../../../src/core/tool/define-tool.ts";
import type { AgentTool, AnyTool } from "../../../src/core/tool/tool.ts";

const base = { name: "t", description: "…" };

test("defineTool infers from zod: execute sees the output, resources and preview the input", () => {
  const tool = defineTool({
    ...base,
    input: z.object({ when: z.string().transform((text) => new Date(text)), n: z.number().default(1) }),
    resources(input) {
      expectTypeOf(input).toEqualTypeOf<{ when: string; n?: number | undefined }>();
      return [];
    },
    async preview(input) {
      expectTypeOf(input.when).toBeString();
      return [];
    },
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<{ when: Date; n: number }>();
      return "done";
    },
  });
  expectTypeOf(tool).toEqualTypeOf<AgentTool<{ when: Date; n: number }, { when: string; n?: number | undefined }>>();
});

test("defineTool infers from TypeBox", () => {
  defineTool({
    ...base,
    input: Type.Object({ a: Type.Optional(Type.String()), b: Type.Integer() }),
    execute(input) {
      expectTypeOf(input.b).toBeNumber();
      expectTypeOf(input.a).toEqualTypeOf<string | undefined>();
    },
  });
});

test("defineTool infers from a JSON Schema literal without as const", () => {
  defineTool({
    ...base,
    input: {
      type: "object",
      properties: {
        city: { type: "string" },
        unit: { enum: ["c", "f"] },
        days: { type: "array", items: { type: "integer" } },
      },
      required: ["city"],
    },
    execute(input) {
      expectTypeOf(input.city).toBeString();
      expectTypeOf(input.unit).toEqualTypeOf<"c" | "f" | undefined>();
      expectTypeOf(input.days?.[0]).toEqualTypeOf<number | undefined>();
    },
  });
});

test("defineTool gives a JSON object where a schema is not known before it runs", () => {
  const schema: JsonObject = { type: "object" };
  defineTool({
    ...base,
    input: schema,
    execute(input) {
      expectTypeOf(input).toEqualTypeOf<JsonObject>();
    },
  });
});

test("defineTool holds execute to the output schema, as a value or a promise", () => {
  const definition = { ...base, input: z.object({}), output: z.object({ n: z.number() }) };
  defineTool({ ...definition, execute: () => ({ n: 1 }) });
  defineTool({ ...definition, execute: async () => ({ n: 1 }) });
  // @ts-expect-error the output schema wants a number
  defineTool({ ...definition, execute: () => ({ n: "1" }) });
  // without an output schema, anything
  defineTool({ ...base, input: z.object({}), execute: () => new Map() });
});

test("defineTool types context.app, and every tool is AnyTool", () => {
  interface App {
    readonly db: { readonly url: string };
  }
  const tool = defineTool<ReturnType<typeof z.object<{}>>, undefined, App>({
    ...base,
    input: z.object({}),
    execute(_input, context) {
      expectTypeOf(context.app).toEqualTypeOf<App>();
      return context.app.db.url;
    },
  });
  expectTypeOf(tool).toExtend<AnyTool>();
  const tools: readonly AnyTool[] = [tool, defineTool({ ...base, input: { type: "object" }, execute: () => 1 })];
  expectTypeOf(tools).not.toBeAny();
});
