import { symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { builtinTools } from "../../src/builtin/builtin-tools.ts";
import { createHands, temporaryFolder } from "./support.ts";

const NAMES = ["read", "write", "edit", "grep", "ls", "find", "exec"];

describe("builtinTools", () => {
  test("builtinTools gives the same frozen snapshot each time", () => {
    const source = builtinTools({ root: temporaryFolder() });
    expect(source.list()).toBe(source.list());
    expect(source).toMatchObject({ id: "builtin", kind: "core" });
    expect(source.list().tools.map(({ descriptor }) => descriptor.name)).toEqual(NAMES);
    for (const { descriptor } of source.list().tools) {
      expect(Object.isFrozen(descriptor) && Object.isFrozen(descriptor.inputSchema)).toBe(true);
      expect(descriptor).toMatchObject({
        owner: { kind: "core" },
        executor: { kind: "core", executorId: descriptor.name },
      });
    }
  });

  test("builtinTools describes every field and takes no other", () => {
    for (const { descriptor } of builtinTools({ root: temporaryFolder() }).list().tools) {
      expect(descriptor.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      const properties = Object.values(
        descriptor.inputSchema["properties"] as Readonly<Record<string, { description?: string }>>,
      );
      expect(properties.every(({ description }) => description !== undefined && description.length > 5)).toBe(true);
    }
  });

  test("builtinTools stays below 2,100 tokens of definitions", () => {
    const { tools } = builtinTools({ root: temporaryFolder() }).list();
    const wire = tools.map(({ descriptor: { name, description, inputSchema } }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(JSON.stringify(wire).length / 4).toBeLessThan(2100);
  });

  test("builtinTools hides exec on Windows and says why", () => {
    const { tools, hidden } = builtinTools({ root: temporaryFolder(), platform: "win32" }).list();
    expect(tools.map(({ descriptor }) => descriptor.name)).not.toContain("exec");
    expect(hidden).toEqual([
      expect.objectContaining({
        descriptor: expect.objectContaining({ name: "exec" }),
        diagnostics: [{ reason: "context-mismatch", message: "platform" }],
      }),
    ]);
  });

  test("a command shares the root with nothing, file tools share it with each other", () => {
    const root = temporaryFolder();
    writeFileSync(path.join(root, "f"), "");
    symlinkSync("f", path.join(root, "link"));
    const hands = createHands(root);
    const share = { key: `root:${root}`, mode: "read" };
    expect(hands.keys("exec", { command: "x" })).toEqual([{ key: `root:${root}`, mode: "write" }]);
    expect(hands.keys("grep", { pattern: "x" })).toEqual([share]);
    expect(hands.keys("read", { path: "./link" })).toEqual([{ key: `file:${root}/f`, mode: "read" }, share]);
    expect(hands.keys("write", { path: "f" })).toEqual([{ key: `file:${root}/f`, mode: "write" }, share]);
    expect(hands.keys("edit", { path: "new/x" })).toEqual([{ key: `file:${root}/new/x`, mode: "write" }, share]);
    expect(hands.keys("read", { path: "spill:1" })).toEqual([]);
  });

  test("resources never throw, whatever the input", () => {
    const hands = createHands(temporaryFolder());
    const inputs = [
      {},
      { path: 1 },
      { path: "" },
      { path: "\0" },
      { path: "../x" },
      { path: "a".repeat(10_000) },
      { path: { toString: null } },
    ];
    for (const name of NAMES) for (const input of inputs) expect(() => hands.keys(name, input)).not.toThrow();
  });
});
