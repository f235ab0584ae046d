import { expect, test } from "vitest";
import { type ToolDescriptor, toToolProtocolDescriptor } from "../../../src/core/tool/descriptor.ts";

test("toToolProtocolDescriptor keeps name, description and input schema, and nothing else", () => {
  const inputSchema = { type: "object", properties: { path: { type: "string" } } };
  const descriptor: ToolDescriptor = {
    name: "read",
    title: "Read",
    description: "Reads a file.",
    inputSchema,
    outputSchema: { type: "string" },
    owner: { kind: "core" },
    executor: { kind: "core", executorId: "read" },
    availability: { kind: "env", name: "SECRET_NAME" },
    annotations: { readOnlyHint: true },
    sortKey: "a",
    meta: { icons: [] },
  };
  const protocol = toToolProtocolDescriptor(descriptor);
  expect(protocol).toEqual({ name: "read", description: "Reads a file.", inputSchema });
  expect(Object.keys(protocol)).toEqual(["name", "description", "inputSchema"]);
  expect(protocol.inputSchema).toBe(inputSchema);
});
