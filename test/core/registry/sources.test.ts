import {
  type AnyTool,
  createToolRegistry,
  type HiddenToolPlanEntry,
  type SourceSnapshot,
  type ToolSource,
} from "toolmap";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle } from "../../support/tools.ts";

const plugin = (name: string) => makeTool(name, undefined, { owner: { kind: "plugin", pluginId: "acme" } });
const ready = (...tools: readonly AnyTool[]): SourceSnapshot => ({ state: "ready", tools });
const throwing = (message: string) => () => {
  throw new Error(message);
};

describe("createToolRegistry, of a source", () => {
  test("that starts: it goes from starting to ready with its tools", async () => {
    const source = fakeSource("acme", "plugin", { state: "starting", tools: [] });
    const starting = gate();
    const registry = createToolRegistry({
      sources: [{ ...source, start: () => starting.opened.then(() => source.set(ready(plugin("a")))) }],
    });
    expect(registry.current.sources).toEqual([{ id: "acme", state: "starting" }]);
    starting.open();
    await registry.started();
    expect(registry.current.sources).toEqual([{ id: "acme", state: "ready" }]);
    expect([...registry.current.tools.keys()]).toEqual(["a"]);
  });

  test("that changes while it starts and tells nobody: it is read when it has started", async () => {
    let snapshot: SourceSnapshot = { state: "starting", tools: [] };
    const registry = createToolRegistry({
      sources: [
        {
          id: "acme",
          kind: "plugin",
          list: () => snapshot,
          subscribe: () => () => undefined,
          start: async () => {
            await Promise.resolve();
            snapshot = ready(plugin("a"));
          },
        },
      ],
    });
    await registry.started();
    expect(registry.current.tools.size).toBe(1);
  });

  test("that did not start although it listed its tools: it is down, keeps them, and says why", async () => {
    const source = fakeSource("acme", "plugin", ready(plugin("a")));
    const registry = createToolRegistry({ sources: [{ ...source, start: throwing("no socket") }] });
    await registry.started();
    expect(registry.current.sources).toEqual([{ id: "acme", state: "down", message: "it did not start: no socket" }]);
    expect([...registry.current.down]).toEqual([["a", "acme"]]);
  });

  test("that did not start and is ready later: it recovers", async () => {
    const source = fakeSource("acme", "plugin", { state: "starting", tools: [] });
    const registry = createToolRegistry({ sources: [{ ...source, start: throwing("no socket") }] });
    await registry.started();
    source.set({ state: "starting", tools: [], message: "again" });
    await settle();
    expect(registry.current.sources[0]?.state).toBe("down");
    source.set(ready(plugin("a")));
    await settle();
    expect(registry.current.sources).toEqual([{ id: "acme", state: "ready" }]);
    expect(registry.current.down.size).toBe(0);
  });

  test("that said ready just before it failed to start: that is no recovery", async () => {
    const source = fakeSource("acme", "plugin", { state: "starting", tools: [] });
    const start = () => {
      source.set(ready(plugin("a")));
      return Promise.reject(new Error("gone"));
    };
    const registry = createToolRegistry({ sources: [{ ...source, start }] });
    await registry.started();
    expect(registry.current.sources[0]).toMatchObject({ state: "down", message: "it did not start: gone" });
    expect(registry.current.tools.size).toBe(1);
  });

  test("whose list fails for a while: it keeps its last tools and recovers in whatever state it says", async () => {
    const source = fakeSource("acme", "plugin", ready(plugin("a")));
    let isBroken = false;
    const list = () => (isBroken ? throwing("cut")() : source.list());
    const registry = createToolRegistry({ sources: [{ ...source, list: list as ToolSource["list"] }] });
    isBroken = true;
    registry.refresh();
    expect(registry.current.sources).toEqual([{ id: "acme", state: "down", message: "its list failed: cut" }]);
    expect([...registry.current.tools.keys()]).toEqual(["a"]);
    isBroken = false;
    expect(registry.refresh().sources).toEqual([{ id: "acme", state: "ready" }]);
    isBroken = true;
    registry.refresh();
    isBroken = false;
    source.set({ state: "starting", tools: [] });
    await settle();
    expect(registry.current.sources).toEqual([{ id: "acme", state: "starting" }]);
    expect(registry.current.tools.size).toBe(0);
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["a promise", Promise.resolve({ tools: [], state: "ready" })],
    ["no list of tools", { tools: {}, state: "ready" }],
    ["a state unheard of", { tools: [], state: "up" }],
    ["an inherited state", { tools: [], state: "constructor" }],
    ["a list of hidden tools that is none", { tools: [], state: "ready", hidden: 5 }],
    ["an endless list", { tools: Array(4_000_000_000), state: "ready" }],
    [
      "members that throw",
      {
        get tools() {
          throw new Error("boo");
        },
        state: "ready",
      },
    ],
  ])("whose snapshot is %s: it is down, and the others stay", (_, snapshot) => {
    const broken = { ...fakeSource("bad", "plugin", ready()), list: () => snapshot as SourceSnapshot };
    const { current } = createToolRegistry({ sources: [broken, fakeSource("acme", "plugin", ready(plugin("a")))] });
    expect(current.sources).toMatchObject([
      { id: "bad", state: "down" },
      { id: "acme", state: "ready" },
    ]);
    expect(current.sources[0]?.message).toMatch(/^its list /);
    expect(current.tools.size).toBe(1);
  });

  test("whose hidden entries are junk: each is listed with a reason that can be read, sound ones as they are", () => {
    const { descriptor } = plugin("seen");
    const sound: HiddenToolPlanEntry = { descriptor, diagnostics: [{ reason: "server-down", message: "gone" }] };
    const junk = [null, {}, { descriptor, diagnostics: [] }, { descriptor: { name: 5 }, diagnostics: [{}] }];
    const sortable = { descriptor: { ...descriptor, sortKey: Symbol("x") }, diagnostics: sound.diagnostics };
    const foreign = { descriptor: { ...descriptor, owner: { kind: "core" } }, diagnostics: sound.diagnostics };
    const hidden = [sound, ...junk, sortable, foreign] as HiddenToolPlanEntry[];
    const { current } = createToolRegistry({
      sources: [fakeSource("acme", "plugin", { state: "ready", tools: [], hidden })],
    });
    expect(current.hidden).toHaveLength(hidden.length);
    expect(current.hidden[0]).toBe(sound);
    for (const entry of current.hidden.slice(1)) {
      expect(entry.diagnostics[0]?.reason).toBe("schema-unfit");
      expect(entry.descriptor.owner).toEqual({ kind: "plugin", pluginId: "acme" });
    }
  });

  test("whose message is no text: it has none", () => {
    const snapshot = { state: "down", tools: [], message: Symbol("x") } as unknown as SourceSnapshot;
    const { current } = createToolRegistry({ sources: [fakeSource("acme", "plugin", snapshot)] });
    expect(current.sources).toEqual([{ id: "acme", state: "down" }]);
  });

  test("that cannot be subscribed to: a warning says so, and a refresh still sees its changes", () => {
    const source = fakeSource("acme", "plugin", ready(plugin("a")));
    const registry = createToolRegistry({ sources: [{ ...source, subscribe: throwing("no events") }] });
    expect(registry.current.warnings).toMatchObject([{ code: "source-silent" }]);
    expect(registry.current.warnings[0]?.message).toContain("no events");
    source.set(ready(plugin("b")));
    expect([...registry.refresh().tools.keys()]).toEqual(["b"]);
    expect(registry.current.warnings).toHaveLength(1);
  });

  test("that tells of a change while it is being subscribed to: that is fine", async () => {
    const source = fakeSource("acme", "plugin", ready(plugin("a")));
    const subscribe = (changed: () => void) => {
      changed();
      return () => undefined;
    };
    const registry = createToolRegistry({ sources: [{ ...source, subscribe }] });
    await settle();
    expect(registry.current.revision).toBe(1);
  });

  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["no id", { ...fakeSource("x", "plugin", ready()), id: "" }],
    ["an id that is a symbol", { ...fakeSource("x", "plugin", ready()), id: Symbol("x") }],
    ["a kind unheard of, whose tools would be lost", { ...fakeSource("x", "plugin", ready()), kind: "extension" }],
    ["no list", { ...fakeSource("x", "plugin", ready()), list: undefined }],
    ["no subscribe", { ...fakeSource("x", "plugin", ready()), subscribe: undefined }],
    ["a start that is no function", { ...fakeSource("x", "plugin", ready()), start: true }],
    ["a close that is no function", { ...fakeSource("x", "plugin", ready()), close: {} }],
  ])("that has %s: throws bad-source", (_, source) => {
    expect(() => createToolRegistry({ sources: [source as ToolSource] })).toThrow(
      expect.objectContaining({ name: "ToolmapError", code: "bad-source" }),
    );
  });

  test.each(["tools", "sources"])("given in %s that are no list: throws bad-option", (option) => {
    expect(() => createToolRegistry({ [option]: {} })).toThrow(
      expect.objectContaining({ code: "bad-option", message: expect.stringContaining(option) as string }),
    );
  });
});
