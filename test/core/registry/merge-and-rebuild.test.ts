import { describe, expect, test, vi } from "vitest";
import { createToolRegistry, type ToolRegistryOptions } from "../../../src/core/registry/create-tool-registry.ts";
import type { SourceSnapshot, ToolSource } from "../../../src/core/registry/source.ts";
import type { AgentTool } from "../../../src/core/tool/tool.ts";
import { fakeSource, makeTool, settle } from "../../support/tools.ts";

const ofPlugin = (name: string, rest = {}) =>
  makeTool(name, undefined, { owner: { kind: "plugin", pluginId: "acme" }, rest });
const ofCore = (name: string) => makeTool(name, undefined, { owner: { kind: "core" } });
const ofMcp = (name: string, serverId: string) =>
  makeTool(name, undefined, {
    owner: { kind: "mcp", serverId },
    descriptor: { description: `${name} of ${serverId}` },
  });
const ready = (...tools: readonly AgentTool[]): SourceSnapshot => ({ state: "ready", tools });
const builtin = () => fakeSource("builtin", "core", ready(ofCore("read")));

describe("createToolRegistry, where a name is wanted twice", () => {
  test.each([
    [true, false],
    [false, true],
    [true, true],
  ])("two of one name in one source are both hidden, whichever may override (%s, %s)", (first, second) => {
    const tools = [ofPlugin("read", { override: first }), ofPlugin("Read", { override: second })];
    const { current } = createToolRegistry({ sources: [builtin(), fakeSource("acme", "plugin", ready(...tools))] });
    expect(current.tools.get("read")?.descriptor.owner).toEqual({ kind: "core" });
    expect(current.hidden.map(({ diagnostics }) => diagnostics.map(({ reason }) => reason))).toEqual([
      ["duplicate-tool-name"],
      ["duplicate-tool-name"],
    ]);
    expect(current.shadowed).toEqual([]);
  });

  test("two of one name in one source leave the name to another source", () => {
    const { current } = createToolRegistry({
      sources: [
        fakeSource("acme", "plugin", ready(ofPlugin("deploy"), ofPlugin("Deploy"))),
        fakeSource("srv", "mcp", ready(ofMcp("deploy", "srv"))),
      ],
    });
    expect(current.tools.get("deploy")?.descriptor.owner.kind).toBe("mcp");
    expect(current.hidden).toHaveLength(2);
  });

  test("NAM-09 a core name that one tool was let into stays closed to others", () => {
    const { current } = createToolRegistry({
      tools: [makeTool("read")],
      sources: [builtin(), fakeSource("acme", "plugin", ready(ofPlugin("read", { override: true })))],
    });
    expect(current.tools.get("read")?.descriptor.owner.kind).toBe("plugin");
    expect(current.shadowed).toEqual([{ name: "read", origin: "core", by: "plugin:acme" }]);
    expect(current.hidden[0]?.diagnostics[0]?.reason).toBe("name-clash");
  });

  test("NAM-06 two servers are both there under names of their own, and each runs its own", () => {
    const { current } = createToolRegistry({
      sources: [
        fakeSource("stage", "mcp", ready(ofMcp("stage__deploy", "stage"))),
        fakeSource("prod", "mcp", ready(ofMcp("prod__deploy", "prod"))),
      ],
    });
    const servers = [...current.tools].map(([name, { descriptor }]) => [name, descriptor.owner]);
    expect(servers).toEqual([
      ["stage__deploy", { kind: "mcp", serverId: "stage" }],
      ["prod__deploy", { kind: "mcp", serverId: "prod" }],
    ]);
    expect(current.hidden).toEqual([]);
  });

  test("a tool passed by the program keeps its owner, and its owner's place in the order", () => {
    const { current } = createToolRegistry({
      tools: [makeTool("own"), ofCore("read")],
      sources: [fakeSource("acme", "plugin", ready(ofPlugin("read"), ofPlugin("own")))],
    });
    expect([...current.tools].map(([name, { descriptor }]) => `${name} ${descriptor.owner.kind}`)).toEqual([
      "read core",
      "own custom",
    ]);
    expect(current.shadowed).toEqual([{ name: "own", origin: "plugin:acme", by: "custom" }]);
  });

  test.each(["__proto__", "constructor", "toString"])("the name %s is a name like any other", (name) => {
    const { current } = createToolRegistry({ tools: [makeTool(name)], sources: [builtin()] });
    expect([...current.tools.keys()]).toEqual(["read", name]);
    expect(current.hidden).toEqual([]);
  });
});

describe("createToolRegistry, rebuilding", () => {
  test("a source that tells of a change whenever it is read does not hold up the program", async () => {
    let changed = (): void => undefined;
    const list = vi.fn(() => {
      // Else the test would never end, where it fails.
      if (list.mock.calls.length < 1000) changed();
      return ready(ofPlugin("a"));
    });
    const source: ToolSource = {
      id: "acme",
      kind: "plugin",
      list,
      subscribe: (tell) => {
        changed = tell;
        return () => undefined;
      },
    };
    const registry = createToolRegistry({ sources: [source] });
    await settle();
    expect(list.mock.calls.length).toBeLessThan(10);
    changed();
    await settle();
    expect(list.mock.calls.length).toBeLessThan(20);
    expect(registry.current.tools.has("a")).toBe(true);
  });

  test("a schema is looked over once, although its source makes the tool anew each time", () => {
    let reads = 0;
    const schema = {
      type: "object",
      get properties(): Record<string, never> {
        reads += 1;
        return {};
      },
    };
    const anew = () => ready(makeTool("a", undefined, { owner: { kind: "plugin", pluginId: "acme" }, schema }));
    const source = fakeSource("acme", "plugin", anew());
    const registry = createToolRegistry({ sources: [source] });
    const before = reads;
    expect(before).toBeGreaterThan(0);
    for (let round = 0; round < 5; round += 1) source.set(anew());
    registry.refresh();
    expect(registry.current.revision).toBe(2);
    expect(reads).toBe(before);
  });

  test("a schema that may be an output is still refused as an input", () => {
    const text = { type: "string" };
    const options = { owner: { kind: "plugin", pluginId: "acme" }, outputSchema: text } as const;
    const tools = [makeTool("fine", undefined, options), makeTool("broken", undefined, { ...options, schema: text })];
    const { current } = createToolRegistry({ sources: [fakeSource("acme", "plugin", ready(...tools))] });
    expect([...current.tools.keys()]).toEqual(["fine"]);
    expect(current.hidden[0]?.diagnostics[0]).toMatchObject({ reason: "schema-unfit" });
  });

  test("a misspelt option throws instead of making a registry without tools", () => {
    const misspelt = { tool: [makeTool("a")] } as ToolRegistryOptions; // as JavaScript would
    expect(() => createToolRegistry(misspelt)).toThrow(
      expect.objectContaining({ code: "bad-option", message: expect.stringContaining('"tool"') as string }),
    );
    expect(createToolRegistry().current.tools.size).toBe(0);
  });
});
