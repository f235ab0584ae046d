import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createToolRegistry } from "../../src/core/registry/create-tool-registry.ts";
import type { Registry } from "../../src/core/registry/registry.ts";
import type { SourceSnapshot, ToolSource } from "../../src/core/registry/source.ts";
import { canonicalToolName, exposedToolName, isToolName } from "../../src/core/tool/name.ts";
import { formatOrigin, type ToolOwnerRef } from "../../src/core/tool/owner.ts";
import type { AnyTool } from "../../src/core/tool/tool.ts";
import { fakeSource, makeTool } from "../support/tools.ts";

const KINDS = ["core", "plugin", "channel", "mcp", "custom"] as const;
const NAMES = ["a", "A", "b-c", "b_c", "constructor", "__proto__", "z"] as const;

interface Given {
  readonly name: string;
  readonly override: boolean;
}

function ownerOf(kind: ToolOwnerRef["kind"], id: string): ToolOwnerRef {
  switch (kind) {
    case "core":
    case "custom":
      return { kind };
    case "plugin":
      return { kind, pluginId: id };
    case "channel":
      return { kind, channelId: id };
    case "mcp":
      return { kind, serverId: id };
  }
}

const given = fc.record({ name: fc.constantFrom(...NAMES), override: fc.boolean() });
const contributors = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), tools: fc.array(given, { maxLength: 5 }) }),
  {
    maxLength: 5,
  },
);

interface Contributor {
  readonly kind: ToolOwnerRef["kind"];
  readonly tools: readonly Given[];
}

function sourcesOf(all: readonly Contributor[]): (ToolSource & { set(next: SourceSnapshot): void })[] {
  return all.map(({ kind, tools }, at) =>
    fakeSource(`s${at}`, kind, { state: "ready", tools: tools.map((tool) => toolOf(tool, kind, `s${at}`)) }),
  );
}

function toolOf({ name, override }: Given, kind: ToolOwnerRef["kind"], id: string): AnyTool {
  return makeTool(name, undefined, { owner: ownerOf(kind, id), rest: { override } });
}

const show = ({ descriptor }: Pick<AnyTool, "descriptor">) => `${formatOrigin(descriptor.owner)} ${descriptor.name}`;

/** A registry as text, whatever the order of its tools. */
function outcome({ tools, hidden, shadowed, down }: Registry): unknown {
  return {
    tools: [...tools].map(([name, tool]) => `${name}: ${show(tool)}`).sort(),
    hidden: hidden.map((entry) => `${show(entry)}: ${entry.diagnostics.map(({ reason }) => reason).join()}`).sort(),
    shadowed: shadowed.map((each) => JSON.stringify(each)).sort(),
    down: [...down.keys()].sort(),
  };
}

/** Who gets each canonical name, by the rules and in the plainest way. */
function expectedOwners(all: readonly Contributor[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const keys = new Set(NAMES.map(canonicalToolName));
  for (const key of keys) {
    let holder: { readonly kind: string; readonly origin: string } | undefined;
    let isCoreName = false;
    for (const kind of KINDS) {
      for (const [at, contributor] of all.entries()) {
        if (contributor.kind !== kind) continue;
        const bearers = contributor.tools.filter(({ name }) => canonicalToolName(name) === key);
        const [bearer] = bearers;
        if (bearers.length !== 1 || !bearer) continue;
        const mayTake =
          holder === undefined || (kind !== "mcp" && kind !== holder.kind && (bearer.override || !isCoreName));
        if (!mayTake) continue;
        holder = { kind, origin: formatOrigin(ownerOf(kind, `s${at}`)) };
        isCoreName ||= kind === "core";
      }
    }
    if (holder) owners.set(key, holder.origin);
  }
  return owners;
}

describe("createToolRegistry", () => {
  test("createToolRegistry gives each name to whom the precedence gives it", () => {
    fc.assert(
      fc.property(contributors, (all) => {
        const { current } = createToolRegistry({ sources: sourcesOf(all) });
        const owners = [...current.tools.values()].map(
          ({ descriptor: { name, owner } }) => [canonicalToolName(name), formatOrigin(owner)] as const,
        );
        expect(new Map(owners)).toEqual(expectedOwners(all));
      }),
      { numRuns: 300 },
    );
  });

  test("createToolRegistry loses no tool: each is in the Map, hidden or shadowed, and in one of them only", () => {
    fc.assert(
      fc.property(contributors, (all) => {
        const sources = sourcesOf(all);
        const { current } = createToolRegistry({ sources });
        const offered = sources.flatMap((source) => source.list().tools);
        const inMap = new Set([...current.tools.values()].map(({ descriptor }) => descriptor));
        const hidden = new Set(current.hidden.map(({ descriptor }) => descriptor));
        const rest = offered.filter(({ descriptor }) => !inMap.has(descriptor) && !hidden.has(descriptor));
        expect(inMap.size + hidden.size + rest.length).toBe(offered.length);
        expect(rest).toHaveLength(current.shadowed.length);
        expect(rest.map(({ descriptor }) => formatOrigin(descriptor.owner)).sort()).toEqual(
          current.shadowed.map(({ origin }) => origin).sort(),
        );
        expect(current.hidden.every(({ diagnostics }) => diagnostics.length > 0)).toBe(true);
      }),
    );
  });

  test("createToolRegistry holds each tool under its own name, no two of one canonical name", () => {
    fc.assert(
      fc.property(contributors, (all) => {
        const { current } = createToolRegistry({ sources: sourcesOf(all) });
        for (const [name, tool] of current.tools) expect(tool.descriptor.name).toBe(name);
        const keys = [...current.tools.keys()].map(canonicalToolName);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test("NAM-04 CST-01 createToolRegistry does not depend on the order in which a source lists its tools", () => {
    fc.assert(
      fc.property(contributors, fc.infiniteStream(fc.nat()), (all, random) => {
        const shuffled = all.map(({ kind, tools }) => ({
          kind,
          tools: tools
            .map((tool) => ({ tool, at: random.next().value }))
            .sort((left, right) => left.at - right.at)
            .map(({ tool }) => tool),
        }));
        const registry = (each: readonly Contributor[]) => createToolRegistry({ sources: sourcesOf(each) }).current;
        expect(outcome(registry(shuffled))).toEqual(outcome(registry(all)));
      }),
    );
  });

  test("NAM-04 CST-01 createToolRegistry does not depend on the order in which sources answer", () => {
    fc.assert(
      fc.property(contributors, fc.infiniteStream(fc.nat()), (all, random) => {
        const answered = sourcesOf(all);
        const snapshots = answered.map((source) => source.list());
        for (const source of answered) source.set({ state: "starting", tools: [] });
        const late = createToolRegistry({ sources: answered });
        const order = answered
          .map((source, at) => ({ source, snapshot: snapshots[at], turn: random.next().value }))
          .sort((left, right) => left.turn - right.turn);
        for (const { source, snapshot } of order) {
          if (snapshot) source.set(snapshot);
          late.refresh();
        }
        const atOnce = createToolRegistry({ sources: sourcesOf(all) }).current;
        expect([...late.current.tools.keys()]).toEqual([...atOnce.tools.keys()]);
        expect(outcome(late.current)).toEqual(outcome(atOnce));
      }),
    );
  });

  test("createToolRegistry survives whatever a source lists, and keeps the good tool beside it", () => {
    const junk = fc.oneof(
      fc.anything(),
      fc.record({ descriptor: fc.anything(), execute: fc.anything() }),
      fc.record({
        descriptor: fc.record(
          {
            name: fc.oneof(fc.string(), fc.anything()),
            description: fc.oneof(fc.string(), fc.anything()),
            inputSchema: fc.oneof(fc.constant({ type: "object" }), fc.anything()),
            owner: fc.oneof(fc.constant({ kind: "plugin", pluginId: "acme" }), fc.anything()),
            executor: fc.anything(),
            sortKey: fc.anything(),
            annotations: fc.anything(),
            availability: fc.anything(),
          },
          { requiredKeys: ["name", "owner"] },
        ),
        execute: fc.constant(() => "done"),
      }),
    );
    const good = makeTool("good", undefined, { owner: { kind: "plugin", pluginId: "acme" } });
    fc.assert(
      fc.property(fc.array(junk, { maxLength: 4 }), fc.anything(), (tools, hidden) => {
        const listed = { state: "ready", tools: [...tools, good], ...(Array.isArray(hidden) ? { hidden } : {}) };
        const source = fakeSource("acme", "plugin", listed as SourceSnapshot); // junk on purpose
        const { current } = createToolRegistry({ sources: [source] });
        expect(current.tools.get("good")).toBe(good);
        const extra = Array.isArray(hidden) ? hidden.length : 0;
        expect(current.tools.size + current.hidden.length).toBe(tools.length + 1 + extra);
        for (const { descriptor, diagnostics } of current.hidden) {
          expect(typeof descriptor.name).toBe("string");
          expect(formatOrigin(descriptor.owner)).toMatch(/^(core|custom|\w+:.+)$/s);
          expect(diagnostics.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("exposedToolName", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.stringMatching(/^[a-b._-]{0,6}$/),
    fc.stringMatching(/^[a-b]{0,70}$/),
  );

  test("NAM-01 exposedToolName is always legal and never longer than 60", () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom("always" as const, "never" as const), (server, raw, prefix) => {
        const name = exposedToolName(server, raw, { prefix });
        expect(isToolName(name)).toBe(true);
        expect(name.length).toBeLessThanOrEqual(60);
        expect(exposedToolName(server, raw, { prefix })).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  test("NAM-04 exposedToolName gives different tools different names", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 2, maxLength: 30 }), (pairs) => {
        const tools = new Map(pairs.map((pair) => [JSON.stringify(pair), pair]));
        const names = new Set([...tools.values()].map(([server, raw]) => exposedToolName(server, raw)));
        expect(names.size).toBe(tools.size);
      }),
      { numRuns: 500 },
    );
  });
});
