import { createToolRegistry, type Registry, type SourceSnapshot, type ToolSource } from "toolmap";
import { describe, expect, test } from "vitest";
import { fakeSource, gate, makeTool, settle } from "../../support/tools.ts";

const plugin = (name: string) => makeTool(name, undefined, { owner: { kind: "plugin", pluginId: "acme" } });
const [a, b] = [plugin("a"), plugin("b")];
const ready = (...tools: SourceSnapshot["tools"]): SourceSnapshot => ({ state: "ready", tools });

describe("ToolRegistry.refresh", () => {
  test("keeps current when nothing changed, even of a source that makes a new snapshot each time", () => {
    const source = { ...fakeSource("acme", "plugin", ready()), list: () => ready(a, b) };
    const registry = createToolRegistry({ sources: [source] });
    const { current } = registry;
    expect(registry.refresh()).toBe(current);
    expect(registry.refresh()).toBe(registry.current);
    expect(current.revision).toBe(1);
  });

  test("swaps the Map, counts up, and leaves the old one as it was", () => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    const before = registry.current;
    source.set(ready(a, b));
    const after = registry.refresh();
    expect(after.revision).toBe(before.revision + 1);
    expect([...before.tools.keys()]).toEqual(["a"]);
    expect([...after.tools.keys()]).toEqual(["a", "b"]);
  });

  test("sees a list that was changed in place", () => {
    const tools = [a];
    const registry = createToolRegistry({ sources: [fakeSource("acme", "plugin", { state: "ready", tools })] });
    tools.push(b);
    expect([...registry.refresh().tools.keys()]).toEqual(["a", "b"]);
    expect(registry.refresh()).toBe(registry.current);
  });

  test.each<[string, SourceSnapshot]>([
    ["state", { state: "down", tools: [a] }],
    ["message", { state: "ready", tools: [a], message: "slow" }],
    [
      "hidden tools",
      {
        state: "ready",
        tools: [a],
        hidden: [{ descriptor: b.descriptor, diagnostics: [{ reason: "server-down", message: "gone" }] }],
      },
    ],
    ["definition of a tool", { state: "ready", tools: [plugin("a")] }],
  ])("rebuilds when only a %s changed", (_, next) => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    source.set(next);
    expect(registry.refresh().revision).toBe(2);
  });

  test("before the queued one takes the change, so that the queued one tells nobody again", async () => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    const seen: number[] = [];
    registry.subscribe(({ revision }) => seen.push(revision));
    source.set(ready(b));
    registry.refresh();
    await settle();
    expect(seen).toEqual([2]);
  });
});

describe("ToolRegistry.subscribe", () => {
  const failing = async (listener: (registry: Registry) => unknown): Promise<readonly Registry[]> => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    registry.subscribe(listener);
    const told: Registry[] = [];
    registry.subscribe((current) => told.push(current));
    for (const next of [ready(b), ready(a, b)]) {
      source.set(next);
      await settle();
    }
    return [...told, registry.current];
  };

  test.each<[string, (registry: Registry) => unknown]>([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects later", () => Promise.reject(new Error("broken"))],
  ])("tells the others although one listener %s, and warns of it once", async (_, listener) => {
    const [first, second, current] = await failing(listener);
    expect([first?.tools.size, second?.tools.size]).toEqual([1, 2]);
    const warnings = current?.warnings.filter(({ code }) => code === "listener-failed");
    expect(warnings?.map(({ message }) => message)).toEqual(["A listener of the registry failed: broken"]);
    expect(current?.revision).toBe(3);
  });

  test("tells a listener that was subscribed twice twice, until each is unsubscribed", async () => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    let told = 0;
    const listener = () => {
      told += 1;
    };
    const [stopOne, stopOther] = [registry.subscribe(listener), registry.subscribe(listener)];
    const change = async (...tools: SourceSnapshot["tools"]): Promise<number> => {
      told = 0;
      source.set(ready(...tools));
      await settle();
      return told;
    };
    expect(await change(b)).toBe(2);
    stopOne();
    stopOne();
    expect(await change(a)).toBe(1);
    stopOther();
    expect(await change(b)).toBe(0);
  });
});

describe("ToolRegistry.started", () => {
  test("waits for every source, and no failure rejects it", async () => {
    const slow = gate();
    const of = (id: string, start: NonNullable<ToolSource["start"]>): ToolSource => ({
      ...fakeSource(id, "plugin", ready()),
      start,
    });
    const registry = createToolRegistry({
      sources: [of("bad", () => Promise.reject(new Error("no"))), of("slow", () => slow.opened)],
    });
    let isStarted = false;
    const started = registry.started().then(() => {
      isStarted = true;
    });
    await settle();
    expect(isStarted).toBe(false);
    expect(registry.current.sources[0]?.state).toBe("down");
    slow.open();
    await started;
    expect(registry.current.sources.map(({ state }) => state)).toEqual(["down", "ready"]);
  });

  test("settles when the registry is closed, whatever a source that hangs does", async () => {
    const source = { ...fakeSource("acme", "plugin", ready()), start: () => gate().opened };
    const registry = createToolRegistry({ sources: [source] });
    await registry.close();
    await expect(registry.started()).resolves.toBeUndefined();
  });

  test("settles at once without sources", async () => {
    await expect(createToolRegistry().started()).resolves.toBeUndefined();
  });
});

describe("ToolRegistry.close", () => {
  test("ends each source once and is waited for by every caller", async () => {
    const closing = gate();
    let closed = 0;
    const close = () => {
      closed += 1;
      return closing.opened;
    };
    const registry = createToolRegistry({ sources: [{ ...fakeSource("acme", "plugin", ready()), close }] });
    const done: string[] = [];
    const all = ["one", "other"].map((each) => registry.close().then(() => done.push(each)));
    await settle();
    expect([closed, done]).toEqual([1, []]);
    closing.open();
    await Promise.all(all);
    expect(done).toHaveLength(2);
  });

  test("may be called by whoever hears of it", async () => {
    let closed = 0;
    const source: ToolSource = {
      ...fakeSource("acme", "plugin", ready()),
      start: (signal) => {
        signal.addEventListener("abort", () => void registry.close());
        return Promise.resolve();
      },
      close: async () => {
        closed += 1;
      },
    };
    const registry = createToolRegistry({ sources: [source] });
    await registry.close();
    expect(closed).toBe(1);
  });

  test("closes a source although its unsubscription throws, and the others although its close throws", async () => {
    const closed: string[] = [];
    const subscribe = () => () => {
      throw new Error("no");
    };
    const of = (id: string): ToolSource => ({
      ...fakeSource(id, "plugin", ready()),
      subscribe,
      close: () => {
        closed.push(id);
        throw new Error("no");
      },
    });
    await createToolRegistry({ sources: [of("x"), of("y")] }).close();
    expect(closed).toEqual(["x", "y"]);
  });

  test("leaves the last Map, and no change or refresh after it does anything", async () => {
    const source = fakeSource("acme", "plugin", ready(a));
    const registry = createToolRegistry({ sources: [source] });
    let told = 0;
    registry.subscribe(() => {
      told += 1;
    });
    const { current } = registry;
    source.set(ready(b));
    const closing = registry.close();
    expect(registry.refresh()).toBe(current);
    await closing;
    source.set(ready(a, b));
    await settle();
    expect([registry.current, told]).toEqual([current, 0]);
  });
});
