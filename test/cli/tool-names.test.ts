import { describe, expect, test } from "vitest";
import { formatSignature } from "../../src/cli/format-signature.ts";
import { resolveToolName } from "../../src/cli/resolve-tool-name.ts";
import { countTokens, formatTokens } from "../../src/cli/token-count.ts";
import type { ToolDescriptor } from "../../src/core/tool/descriptor.ts";
import type { ToolOwnerRef } from "../../src/core/tool/owner.ts";
import type { BoundTool } from "../../src/core/tool/tool.ts";

function tool(name: string, owner: ToolOwnerRef, executor?: ToolDescriptor["executor"]): [string, BoundTool] {
  const descriptor = { name, description: "", inputSchema: {}, owner, executor };
  return [name, { descriptor, execute: () => Promise.reject(new Error("not called")) }];
}

const session = {
  tools: new Map([
    tool("read", { kind: "core" }),
    tool(
      "github__create_issue",
      { kind: "mcp", serverId: "github" },
      { kind: "mcp", serverId: "github", toolName: "create-issue" },
    ),
    tool("ship", { kind: "plugin", pluginId: "acme" }, { kind: "plugin", pluginId: "acme", toolName: "deploy" }),
    tool("odd/name", { kind: "custom" }),
  ]),
};

describe("resolveToolName", () => {
  test.each([
    ["read", "read"],
    ["core/read", "read"],
    ["github/create-issue", "github__create_issue"],
    ["mcp:github/create-issue", "github__create_issue"],
    ["github__create_issue", "github__create_issue"],
    ["acme/deploy", "ship"],
    ["plugin:acme/deploy", "ship"],
    ["odd/name", "odd/name"],
    ["github/none", "github/none"],
    ["constructor/toString", "constructor/toString"],
    ["/", "/"],
    ["", ""],
  ])("resolveToolName reads %j as %j", (word, name) => {
    expect(resolveToolName(word, session)).toBe(name);
  });
});

describe("formatSignature", () => {
  test("formatSignature shows fields, types and what is optional", () => {
    const inputSchema = {
      type: "object",
      properties: {
        path: { type: "string" },
        limit: { type: "integer" },
        mode: { enum: ["a", "b"] },
        tags: { type: "array", items: { type: "string" } },
        any: {},
        one: { const: 1 },
        both: { type: ["string", "null"] },
      },
      required: ["path"],
    };
    expect(formatSignature({ name: "t", inputSchema })).toBe(
      't(path: string, limit?: integer, mode?: "a" | "b", tags?: string[], any?: any, one?: 1, both?: string | null)',
    );
  });

  test.each([{}, { properties: 5, required: 7 }, { properties: { x: true } }, { properties: { x: null } }])(
    "formatSignature takes the schema %j as it comes",
    (inputSchema) => {
      expect(formatSignature({ name: "t", inputSchema })).toMatch(/^t\(.*\)$/);
    },
  );
});

describe("countTokens", () => {
  test("countTokens counts a token for every four bytes of what is sent, and no more", () => {
    const descriptor = {
      name: "t",
      description: "ü",
      inputSchema: { type: "object" },
      owner: { kind: "core" as const },
    };
    const sent = '{"name":"t","description":"ü","inputSchema":{"type":"object"}}';
    expect(countTokens(descriptor)).toBe(Math.ceil(Buffer.byteLength(sent) / 4));
  });

  test.each([
    [940, "~940 tokens"],
    [1900, "~1.9k tokens"],
  ])("formatTokens shows %d as %s", (count, text) => {
    expect(formatTokens(count)).toBe(text);
  });
});
