import * as fc from "fast-check";
import { type AgentTool, createToolRegistry, type Registry, type SourceSnapshot, type ToolOwnerRef } from "toolmap";
import { describe, expect, test } from "vitest";
import { canonicalToolName } from "../../../src/core/tool/name.ts";
import { fakeSource, makeTool, settle } from "../../support/tools.ts";

const OWNERS = {
  core: { kind: "core" },
  acme: { kind: "plugin", pluginId: "acme" },
  zeta: { kind: "plugin", pluginId: "zeta" },
  chat: { kind: "channel", channelId: "chat" },
  srv: { kind: "mcp", serverId: "srv" },
  own: { kind: "custom" },
} as const satisfies Record<string, ToolOwnerRef>;
type SourceId = keyof typeof OWNERS;
const SOURCE_IDS = ["core", "acme", "zeta", "chat", "srv", "own"] as const satisfies readonly SourceId[];
const KINDS: readonly ToolOwnerRef["kind"][] = ["core", "plugin", "channel", "mcp", "custom"];

const toolOf = (id: SourceId, name: string, override = false): AgentTool =>
  makeTool(name, undefined, { owner: OWNERS[id], ...(override ? { rest: { override } } : {}) });
const ready = (...tools: readonly AgentTool[]): SourceSnapshot => ({ state: "ready", tools });

function registryOf(given: Partial<Record<SourceId, readonly AgentTool[]>>): Registry {
  const sources = SOURCE_IDS.filter((id) => given[id]).map((id) =>
    fakeSource(id, OWNERS[id].kind, ready(...(given[id] ?? []))),
  );
  return createToolRegistry({ sources }).current;
}

describe("createToolRegistry", () => {
  test("createToolRegistry puts tools in the order of kinds, then of sources, then as given", () => {
    const { tools } = registryOf({
      own: [toolOf("own", "z"), toolOf("own", "a")],
      zeta: [toolOf("zeta", "p2")],
      acme: [toolOf("acme", "p1")],
      core: [toolOf("core", "read")],
      srv: [toolOf("srv", "srv__x")],
      chat: [toolOf("chat", "send")],
    });
    expect([...tools.keys()]).toEqual(["read", "p1", "p2", "send", "srv__x", "z", "a"]);
  });

  test("NAM-09 createToolRegistry puts a tool that takes a built-in's name where it was given itself, as one entry", () => {
    const override = toolOf("own", "Read", true);
    const { tools, shadowed } = registryOf({
      core: [toolOf("core", "read"), toolOf("core", "write")],
      own: [toolOf("own", "a"), override],
    });
    expect([...tools.keys()]).toEqual(["write", "a", "Read"]);
    expect(tools.get("Read")).toBe(override);
    expect(shadowed).toEqual([{ name: "Read", origin: "core", by: "custom" }]);
  });

  test("createToolRegistry keeps a built-in's name reserved although a plugin took it", () => {
    const given = { core: [toolOf("core", "read")], acme: [toolOf("acme", "read", true)] };
    const refused = registryOf({ ...given, own: [toolOf("own", "read")] });
    expect(refused.tools.get("read")?.descriptor.owner).toEqual(OWNERS.acme);
    expect(refused.hidden[0]?.diagnostics[0]).toEqual({
      reason: "name-clash",
      message: '"read" of custom is hidden: plugin:acme has the name',
    });
    expect(refused.warnings.at(-1)?.fix).toContain("override: true");
    const taken = registryOf({ ...given, own: [toolOf("own", "read", true)] });
    expect(taken.tools.get("read")?.descriptor.owner).toEqual(OWNERS.own);
    expect(taken.shadowed.map(({ origin, by }) => [origin, by])).toEqual([
      ["core", "plugin:acme"],
      ["plugin:acme", "custom"],
    ]);
  });

  test("createToolRegistry hides a name given twice in one source although an earlier kind has it, and leaves that one", () => {
    const { tools, hidden, shadowed } = registryOf({
      acme: [toolOf("acme", "deploy")],
      own: [toolOf("own", "deploy"), toolOf("own", "x"), toolOf("own", "Deploy")],
    });
    expect(tools.get("deploy")?.descriptor.owner).toEqual(OWNERS.acme);
    expect([...tools.keys()]).toEqual(["deploy", "x"]);
    expect(hidden.map(({ diagnostics }) => diagnostics[0]?.reason)).toEqual(Array(2).fill("duplicate-tool-name"));
    expect(shadowed).toEqual([]);
  });

  test.each([3, 200])("createToolRegistry hides all of %i tools of one name in one source", (count) => {
    const { tools, hidden } = registryOf({ acme: Array.from({ length: count }, () => toolOf("acme", "x")) });
    expect([tools.size, hidden.length]).toEqual([0, count]);
  });

  test("createToolRegistry hides a name given twice of which one could have taken a built-in's", () => {
    const { tools, hidden } = registryOf({
      core: [toolOf("core", "read")],
      acme: [toolOf("acme", "read"), toolOf("acme", "Read", true)],
    });
    expect(tools.get("read")?.descriptor.owner).toEqual(OWNERS.core);
    expect(hidden.map(({ diagnostics }) => diagnostics[0]?.reason)).toEqual(Array(2).fill("duplicate-tool-name"));
  });

  test("createToolRegistry hides one tool object that a source gives twice", () => {
    const tool = toolOf("acme", "x");
    const { tools, hidden } = registryOf({ acme: [tool, tool] });
    expect([tools.size, hidden.length]).toEqual([0, 2]);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "createToolRegistry takes the name %s",
    (name) => {
      const tool = toolOf("acme", name);
      const { tools } = registryOf({ acme: [tool], zeta: [toolOf("zeta", "x")] });
      expect(tools.get(name)).toBe(tool);
      expect(tools.size).toBe(2);
    },
  );
});

const named = fc.record({
  name: fc.constantFrom("a", "A", "b-c", "b_c", "B_C", "read", "x", "__proto__"),
  override: fc.boolean(),
});
const listing = fc.record(
  Object.fromEntries(SOURCE_IDS.map((id) => [id, fc.array(named, { maxLength: 4 })])) as unknown as Record<
    SourceId,
    fc.Arbitrary<readonly { readonly name: string; readonly override: boolean }[]>
  >,
);
const build = (listed: Readonly<Record<SourceId, readonly { readonly name: string; readonly override: boolean }[]>>) =>
  Object.fromEntries(
    SOURCE_IDS.map((id) => [id, listed[id].map(({ name, override }) => toolOf(id, name, override))]),
  ) as unknown as Record<SourceId, readonly AgentTool[]>; // one entry each

/** The rules once more, told name by name: who has it, of all who give it once in their source. */
function winnerOf(key: string, given: Readonly<Record<SourceId, readonly AgentTool[]>>): AgentTool | undefined {
  let holder: AgentTool | undefined;
  for (const kind of KINDS) {
    for (const id of SOURCE_IDS.filter((each) => OWNERS[each].kind === kind)) {
      const [tool, ...more] = given[id].filter(({ descriptor }) => canonicalToolName(descriptor.name) === key);
      if (!tool || more.length > 0) continue;
      const isOfCore = given.core.filter(({ descriptor }) => canonicalToolName(descriptor.name) === key).length === 1;
      const mayTake = kind !== "mcp" && kind !== holder?.descriptor.owner.kind && (!isOfCore || tool.override === true);
      if (!holder || mayTake) holder = tool;
    }
  }
  return holder;
}

describe("createToolRegistry, whatever sources give", () => {
  test("each name has the one winner that the rules name, and each other tool is on record", () => {
    fc.assert(
      fc.property(listing, (listed) => {
        const given = build(listed);
        const { tools, hidden, shadowed } = registryOf(given);
        const all = Object.values(given).flat();
        const keys = new Set(all.map(({ descriptor }) => canonicalToolName(descriptor.name)));
        const winners = [...keys].map((key) => winnerOf(key, given)).filter((tool) => tool !== undefined);
        expect(new Set(tools.values())).toEqual(new Set(winners));
        expect([...tools].every(([name, { descriptor }]) => name === descriptor.name)).toBe(true);
        expect(tools.size + hidden.length + shadowed.length).toBe(all.length);
      }),
    );
  });

  test("NAM-04 CST-01 the result does not depend on the order in which sources answer", async () => {
    await fc.assert(
      fc.asyncProperty(
        listing,
        fc.shuffledSubarray([...SOURCE_IDS], { minLength: SOURCE_IDS.length }),
        async (listed, order) => {
          const given = build(listed);
          const atOnce = registryOf(given);
          const sources = SOURCE_IDS.filter((id) => given[id]).map(
            (id) => [id, fakeSource(id, OWNERS[id].kind, { state: "starting", tools: [] })] as const,
          );
          const registry = createToolRegistry({ sources: sources.map(([, source]) => source) });
          for (const id of order) {
            new Map(sources).get(id)?.set(ready(...given[id]));
            await Promise.resolve();
            await Promise.resolve();
          }
          await settle();
          const { current } = registry;
          expect([...current.tools]).toEqual([...atOnce.tools]);
          expect({ ...current, revision: 0 }).toEqual({ ...atOnce, revision: 0 });
        },
      ),
      { numRuns: 40 },
    );
  });
});
