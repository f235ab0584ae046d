import { type AgentTool, type AnyTool, createToolRegistry, type Registry, type SourceSnapshot } from "toolmap";
import { describe, expect, test } from "vitest";
import { AUTHOR_VALIDATE } from "../../../src/core/tool/tool.ts";
import { fakeSource, makeTool, settle } from "../../support/tools.ts";

const owner = { kind: "plugin", pluginId: "acme" } as const;
const plugin = (name: string, more = {}) => makeTool(name, undefined, { owner, ...more });
const ready = (tools: readonly unknown[]): SourceSnapshot => ({ state: "ready", tools: tools as readonly AnyTool[] });

function registryOf(tools: readonly unknown[]): Registry {
  return createToolRegistry({ sources: [fakeSource("acme", "plugin", ready(tools))] }).current;
}

/** The one message for a broken tool, beside a sound one that stays. */
function messageFor(broken: unknown): string {
  const { tools, hidden } = registryOf([plugin("before"), broken, plugin("after")]);
  expect([...tools.keys()]).toEqual(["before", "after"]);
  expect(hidden).toHaveLength(1);
  expect(hidden[0]?.diagnostics).toHaveLength(1);
  expect(hidden[0]?.descriptor.owner).toEqual(owner);
  return hidden[0]?.diagnostics[0]?.message ?? "";
}

const thrower = (key: PropertyKey, on: object = {}): object =>
  Object.defineProperty(on, key, {
    enumerable: true,
    configurable: true,
    get: () => {
      throw new Error("boo");
    },
  });

describe("createToolRegistry, of a tool whose", () => {
  test.each<[string, unknown, string]>([
    ["name is a symbol", Symbol("x"), "of type symbol is not legal"],
    ["name is a bigint", 1n, "of type bigint"],
    ["name is null", null, "of type null"],
    ["name is an object that turns into text", { toString: () => "read" }, "of type object"],
    ["name holds a space", "a b", '"a b" is not legal'],
    ["name ends in a line break", "read\n", "is not legal"],
    ["name is 65 letters long", "x".repeat(65), "is not legal"],
  ])("%s, it is hidden and named", (_, name, message) => {
    expect(messageFor(plugin("ok", { descriptor: { name } }))).toContain(message);
  });

  test.each<[string, object, string]>([
    ["description is a number", { description: 5 }, "no description"],
    ["title is an object", { title: {} }, "title must be text"],
    ["sortKey is a symbol, which no order takes", { sortKey: Symbol("x") }, "sortKey must be text"],
    ["annotations are text", { annotations: "readOnly" }, "annotations must be an object"],
    ["owner is missing", { owner: undefined }, "no owner"],
    ["owner is text", { owner: "plugin:acme" }, "no owner"],
    ["owner has no id and would be everybody's", { owner: { kind: "plugin" } }, "owner has no pluginId"],
    ["owner has an empty id", { owner: { kind: "plugin", pluginId: "" } }, "owner has no pluginId"],
    ["owner is core, from a plugin", { owner: { kind: "core" } }, "its source is of kind plugin"],
    [
      "owner is an mcp server, from a plugin",
      { owner: { kind: "mcp", serverId: "s" } },
      "its source is of kind plugin",
    ],
    ["executor ref is text", { executor: "acme:ok" }, "executor is of no known kind"],
    ["executor ref is of a kind unheard of", { executor: { kind: "__proto__" } }, "executor is of no known kind"],
    ["executor ref names no tool", { executor: { kind: "plugin", pluginId: "acme" } }, "executor has no toolName"],
    ["input schema is missing", { inputSchema: undefined }, "input schema is not JSON Schema"],
    ["input schema describes text", { inputSchema: { type: "string" } }, "input schema is not JSON Schema"],
    ["output schema is no schema", { outputSchema: { type: "strng" } }, "output schema is not JSON Schema"],
  ])("%s, it is hidden with that reason", (_, descriptor, message) => {
    expect(messageFor(plugin("ok", { descriptor }))).toContain(message);
  });

  test.each<[string, object, string]>([
    ["execute is missing", { execute: undefined }, "no execute function"],
    ["resources is a list", { resources: [] }, "resources must be a function"],
    ["preview is text", { preview: "x" }, "preview must be a function"],
    ["revert is null", { revert: null }, "revert must be a function"],
    ["validate is true", { [AUTHOR_VALIDATE]: true }, "validate must be a function"],
    ["override is text, which would count as true", { override: "no" }, "override must be true or false"],
    ["exclusive is a number", { exclusive: 1 }, "exclusive must be true or false"],
    ["timeout is not a number", { timeoutMs: Number.NaN }, "timeoutMs must be a positive number"],
    ["timeout is endless", { timeoutMs: Infinity }, "timeoutMs must be a positive number"],
    ["idle timeout is negative", { idleTimeoutMs: -1 }, "idleTimeoutMs must be a positive number"],
  ])("%s, it is hidden with that reason", (_, rest, message) => {
    expect(messageFor({ ...plugin("ok"), ...rest })).toContain(message);
  });

  test.each(["descriptor", "execute", "resources", "preview", "revert", "timeoutMs", "exclusive", "override"])(
    "%s throws when read, it is hidden",
    (key) => {
      expect(messageFor(thrower(key, { ...plugin("ok") }))).toContain("cannot be read (boo)");
    },
  );

  test.each(["name", "title", "description", "inputSchema", "outputSchema", "executor", "annotations", "sortKey"])(
    "descriptor's %s throws when read, it is hidden",
    (key) => {
      const tool = plugin("ok");
      expect(messageFor({ ...tool, descriptor: thrower(key, { ...tool.descriptor }) })).toContain("cannot be read");
    },
  );

  test("descriptor's owner throws when read, it is hidden under whoever gave it", () => {
    const tool = plugin("ok");
    expect(messageFor({ ...tool, descriptor: thrower("owner", { ...tool.descriptor }) })).toContain("cannot be read");
  });

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a list", []],
    ["a function", () => 1],
    ["text", "read"],
    ["an empty object", {}],
  ])("whole is %s, it is hidden", (_, tool) => {
    expect(messageFor(tool)).not.toBe("");
  });

  test("whole is a revoked proxy, it is hidden", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(messageFor(proxy)).toContain("cannot be read");
  });

  test.each(["name", "description", "inputSchema", "owner", "executor", "annotations", "sortKey", "title"])(
    "descriptor's %s is a revoked proxy, it is hidden",
    (key) => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      expect(messageFor(plugin("ok", { descriptor: { [key]: proxy } }))).not.toBe("");
    },
  );

  test("error cannot be put in words, it is hidden all the same", () => {
    const tool = {
      get descriptor(): never {
        throw thrower("message", new Error("x"));
      },
    };
    expect(messageFor(tool)).toContain("cannot be read (no message)");
  });

  test("place in the list is a hole, it is hidden and not lost", () => {
    const tools = [plugin("a")];
    tools[2] = plugin("c");
    const { hidden } = registryOf(tools);
    expect(hidden.map(({ diagnostics }) => diagnostics[0]?.message)).toEqual(["the tool is not an object"]);
  });

  test("name is a megabyte, the diagnostic stays short and well-formed", () => {
    const huge = `\uD800${"x".repeat(1_000_000)}`;
    const { hidden } = registryOf([plugin("ok", { descriptor: { name: huge, description: huge } })]);
    expect(JSON.stringify(hidden).length).toBeLessThan(1000);
    expect(hidden[0]?.descriptor.name.isWellFormed()).toBe(true);
  });
});

describe("createToolRegistry", () => {
  test("createToolRegistry takes an output schema of any type", () => {
    const { tools } = registryOf([plugin("list", { outputSchema: { type: "array" } })]);
    expect(tools.size).toBe(1);
  });

  test("createToolRegistry takes no built-in from a plugin, not even one that it has already taken from its builtin source", () => {
    const builtin = makeTool("read", undefined, { owner: { kind: "core" }, rest: { override: true } });
    const { tools, hidden } = createToolRegistry({
      sources: [
        fakeSource("builtin", "core", ready([builtin])),
        fakeSource("acme", "plugin", ready([builtin, plugin("fine")])),
      ],
    }).current;
    expect([...tools.keys()]).toEqual(["read", "fine"]);
    expect(hidden.map(({ diagnostics }) => diagnostics[0]?.message)).toEqual([
      '"read": its owner is "core", and its source is of kind plugin',
    ]);
    expect(hidden[0]?.descriptor.owner).toEqual({ kind: "plugin", pluginId: "acme" });
  });

  test("createToolRegistry holds one definition of a tool that computes another one each time it is read", () => {
    let reads = 0;
    const sound = plugin("deploy");
    const tool = {
      ...sound,
      get descriptor() {
        reads += 1;
        return { ...sound.descriptor, description: `read ${reads} times` };
      },
    };
    const held = registryOf([tool]).tools.get("deploy");
    expect(held?.descriptor).toBe(held?.descriptor);
    expect(held?.descriptor.description).toBe(held?.descriptor.description);
  });

  test("createToolRegistry looks over the very definition that it holds", () => {
    let reads = 0;
    const sound = plugin("deploy");
    const tool = {
      ...sound,
      get descriptor() {
        reads += 1;
        return reads < 2 ? sound.descriptor : { ...sound.descriptor, owner: { kind: "core" } };
      },
    };
    expect(messageFor(tool)).toContain("its source is of kind plugin");
  });

  test("createToolRegistry runs a class's tool as a method of its object", async () => {
    class Counter implements AgentTool {
      #count = 0;
      get descriptor() {
        return plugin("count").descriptor;
      }
      execute(): number {
        this.#count += 1;
        return this.#count;
      }
    }
    const held = registryOf([new Counter()]).tools.get("count");
    const run = () => Promise.resolve(held?.execute(...([{}, {}] as unknown as Parameters<AnyTool["execute"]>))); // unused
    expect([await run(), await run()]).toEqual([1, 2]);
  });

  test("createToolRegistry holds a plain tool as it is", () => {
    const tool = plugin("a");
    expect(registryOf([tool]).tools.get("a")).toBe(tool);
  });

  test("createToolRegistry looks a tool over again when its definition was replaced", async () => {
    const tool = { ...plugin("a") };
    const source = fakeSource("acme", "plugin", ready([tool]));
    const registry = createToolRegistry({ sources: [source] });
    Object.assign(tool, { descriptor: { ...tool.descriptor, inputSchema: 5 } });
    source.set(ready([tool, plugin("b")]));
    await settle();
    expect([...registry.current.tools.keys()]).toEqual(["b"]);
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a getter that throws", thrower("descriptor", { execute: () => 1 })],
    ["an owner that throws", { execute: () => 1, descriptor: thrower("owner", { name: "x" }) }],
    ["an owner of no kind", plugin("x", { descriptor: { owner: { kind: "banana" } } })],
    ["an owner of an inherited kind", plugin("x", { descriptor: { owner: { kind: "constructor" } } })],
    ["a symbol as its name", makeTool("x", undefined, { descriptor: { name: Symbol("x") as unknown as string } })],
  ])("createToolRegistry throws bad-tool for a tool of the program that is %s", (_, tool) => {
    expect(() => createToolRegistry({ tools: [tool as AnyTool] })).toThrow(
      expect.objectContaining({ name: "ToolmapError", code: "bad-tool" }),
    );
  });
});
