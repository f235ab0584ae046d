import { type AnyTool, createToolRegistry, type SourceSnapshot, type ToolSource } from "toolmap";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle } from "../../support/tools.ts";

const core = (name: string, more = {}) => makeTool(name, undefined, { owner: { kind: "core" }, ...more });
const plugin = (name: string, more = {}) =>
  makeTool(name, undefined, { owner: { kind: "plugin", pluginId: "acme" }, ...more });
const mcp = (name: string, more = {}) =>
  makeTool(name, undefined, { owner: { kind: "mcp", serverId: "srv" }, ...more });
const ready = (tools: readonly AnyTool[]): SourceSnapshot => ({ state: "ready", tools });

describe("createToolRegistry", () => {
  test("a later kind takes the name of an earlier one, on record with both owners", () => {
    const { current } = createToolRegistry({
      tools: [makeTool("deploy")],
      sources: [fakeSource("acme", "plugin", ready([plugin("deploy")]))],
    });
    expect(current.tools.get("deploy")?.descriptor.owner.kind).toBe("custom");
    expect(current.shadowed).toEqual([{ name: "deploy", origin: "plugin:acme", by: "custom" }]);
    expect(current.warnings[0]?.message).toMatch(/custom.*plugin:acme/);
  });

  test("core gives its name to nobody but a tool with override", () => {
    const builtin = fakeSource("builtin", "core", ready([core("read")]));
    const refused = createToolRegistry({ tools: [makeTool("Read")], sources: [builtin] }).current;
    expect(refused.tools.get("read")?.descriptor.owner.kind).toBe("core");
    expect(refused.hidden).toMatchObject([{ descriptor: { name: "Read" }, diagnostics: [{ reason: "name-clash" }] }]);
    expect(refused.hidden[0]?.diagnostics[0]?.message).toMatch(/custom.*core/);
    const taken = createToolRegistry({
      tools: [makeTool("read", undefined, { rest: { override: true } })],
      sources: [builtin],
    }).current;
    expect(taken.tools.get("read")?.descriptor.owner.kind).toBe("custom");
    expect(taken.shadowed).toEqual([{ name: "read", origin: "core", by: "custom" }]);
  });

  test("mcp takes no name of anybody", () => {
    const { current } = createToolRegistry({
      sources: [
        fakeSource("srv", "mcp", ready([mcp("deploy", { rest: { override: true } })])),
        fakeSource("acme", "plugin", ready([plugin("deploy")])),
      ],
    });
    expect(current.tools.get("deploy")?.descriptor.owner.kind).toBe("plugin");
    expect(current.hidden[0]?.diagnostics[0]?.reason).toBe("name-clash");
  });

  test("NAM-06 of two sources of one kind the first given keeps the name, and both are named", () => {
    const other = makeTool("deploy", undefined, { owner: { kind: "plugin", pluginId: "zeta" } });
    const { current } = createToolRegistry({
      sources: [fakeSource("acme", "plugin", ready([plugin("deploy")])), fakeSource("zeta", "plugin", ready([other]))],
    });
    expect(current.tools.size).toBe(1);
    expect(current.hidden[0]?.diagnostics[0]?.message).toMatch(/plugin:zeta.*plugin:acme/);
  });

  test("twice in one source hides both, twice in the program throws", () => {
    const { current } = createToolRegistry({
      sources: [fakeSource("acme", "plugin", ready([plugin("a-b"), plugin("A_B"), plugin("c")]))],
    });
    expect([...current.tools.keys()]).toEqual(["c"]);
    expect(current.hidden.map(({ diagnostics }) => diagnostics[0]?.reason)).toEqual([
      "duplicate-tool-name",
      "duplicate-tool-name",
    ]);
    expect(() => createToolRegistry({ tools: [makeTool("a"), makeTool("A")] })).toThrow(
      expect.objectContaining({ code: "duplicate-tool-name" }),
    );
  });

  test.each<[string, unknown]>([
    ["no object", null],
    ["no descriptor", { execute: () => 1 }],
    ["an illegal name", { ...plugin("ok"), descriptor: { ...plugin("ok").descriptor, name: "a b" } }],
    ["a symbol as a name", { ...plugin("ok"), descriptor: { ...plugin("ok").descriptor, name: Symbol("x") } }],
    ["no execute", { descriptor: plugin("ok").descriptor }],
    ["a schema that is no object", { ...plugin("ok"), descriptor: { ...plugin("ok").descriptor, inputSchema: 5 } }],
    [
      "a misspelt type in the schema",
      plugin("ok", { schema: { type: "object", properties: { a: { type: "strng" } } } }),
    ],
    ["the owner core in a plugin's source", core("ok")],
    [
      "a getter that throws",
      {
        get descriptor(): never {
          throw new Error("boo");
        },
        execute: () => 1,
      },
    ],
    [
      "a descriptor whose name throws",
      {
        descriptor: {
          get name(): never {
            throw new Error("boo");
          },
        },
        execute: () => 1,
      },
    ],
  ])("a tool with %s is hidden with its reason and takes nothing else down", (_, broken) => {
    const { current } = createToolRegistry({
      sources: [fakeSource("acme", "plugin", ready([plugin("fine"), broken as AnyTool]))],
    });
    expect([...current.tools.keys()]).toEqual(["fine"]);
    expect(current.hidden).toHaveLength(1);
    expect(current.hidden[0]?.diagnostics[0]?.message).not.toBe("");
    expect(() => JSON.stringify(current.hidden)).not.toThrow();
  });

  test("a malformed tool of the program's own throws and says what is wrong", () => {
    expect(() => createToolRegistry({ tools: [makeTool("ok", undefined, { schema: { type: "strng" } })] })).toThrow(
      expect.objectContaining({ code: "bad-tool", message: expect.stringContaining("ok") as string }),
    );
  });

  test.each<[string, Partial<ToolSource>]>([
    [
      "list throws",
      {
        list: () => {
          throw new Error("cannot list");
        },
      },
    ],
    ["list gives nonsense", { list: () => ({ tools: "no" }) as never }],
    ["start rejects", { start: () => Promise.reject(new Error("cannot start")) }],
    [
      "start throws",
      {
        start: () => {
          throw new Error("cannot start");
        },
      },
    ],
    [
      "subscribe throws",
      {
        subscribe: () => {
          throw new Error("cannot subscribe");
        },
      },
    ],
  ])("a source whose %s is down or silent, and the others go on", async (what, broken) => {
    const source = { ...fakeSource("bad", "plugin", { state: "starting", tools: [] }), ...broken };
    const registry = createToolRegistry({ sources: [source, fakeSource("good", "plugin", ready([plugin("fine")]))] });
    await registry.started();
    await settle();
    expect([...registry.current.tools.keys()]).toEqual(["fine"]);
    const state = registry.current.sources.find(({ id }) => id === "bad");
    if (!what.startsWith("subscribe"))
      expect(state).toMatchObject({ state: "down", message: expect.any(String) as string });
    await registry.close();
  });

  test("a burst of changes in one tick is one rebuild, a change of nothing is none", async () => {
    const source = fakeSource("acme", "plugin", ready([plugin("a")]));
    const registry = createToolRegistry({ sources: [source] });
    const revisions: number[] = [];
    registry.subscribe(() => {
      throw new Error("a broken listener");
    });
    registry.subscribe(({ revision }) => revisions.push(revision));
    const before = registry.current;
    expect(registry.refresh()).toBe(before);
    for (let at = 0; at < 20; at += 1) source.set(ready([plugin("a"), plugin(`b${at}`)]));
    await settle();
    expect(revisions).toHaveLength(1);
    expect([...registry.current.tools.keys()]).toEqual(["a", "b19"]);
    expect([...before.tools.keys()]).toEqual(["a"]);
  });

  test("CST-03 a source that goes down keeps its tools, marked as down", async () => {
    const tools = [plugin("a")];
    const source = fakeSource("acme", "plugin", ready(tools));
    const registry = createToolRegistry({ sources: [source] });
    source.set({ state: "down", tools, message: "gone" });
    await settle();
    expect(registry.current.tools.size).toBe(1);
    expect([...registry.current.down.keys()]).toEqual(["a"]);
    expect(registry.current.sources).toEqual([{ id: "acme", state: "down", message: "gone" }]);
  });

  test("close ends every source once, whatever one of them does, and nothing changes after it", async () => {
    const closed: string[] = [];
    const signals: AbortSignal[] = [];
    const hanging = gate();
    const source = (id: string, close: () => Promise<void>): ToolSource => ({
      ...fakeSource(id, "plugin", ready([])),
      close,
      start: (signal) => {
        signals.push(signal);
        return hanging.opened;
      },
    });
    const registry = createToolRegistry({
      sources: [source("a", () => Promise.reject(new Error("no"))), source("b", async () => void closed.push("b"))],
    });
    await Promise.all([registry.close(), registry.close()]);
    expect(closed).toEqual(["b"]);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(registry.refresh()).toBe(registry.current);
  });

  test("two sources of one id and a source without an id throw", () => {
    expect(() =>
      createToolRegistry({ sources: [fakeSource("a", "plugin", ready([])), fakeSource("a", "mcp", ready([]))] }),
    ).toThrow(expect.objectContaining({ code: "bad-source" }));
    expect(() => createToolRegistry({ sources: [{} as ToolSource] })).toThrow(
      expect.objectContaining({ code: "bad-source" }),
    );
  });
});
