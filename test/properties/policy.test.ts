import fc from "fast-check";
import type { PolicyLayer, ToolDescriptor } from "toolmap";
import { expect, test } from "vitest";
import { childLayers, compilePolicy } from "../../src/core/policy/compile-policy.ts";
import { makeTool } from "../support/tools.ts";

const NAMES = ["read", "write", "exec", "deploy", "own"];
const OWNERS = [
  { kind: "core" },
  { kind: "custom" },
  { kind: "plugin", pluginId: "acme" },
  { kind: "mcp", serverId: "srv" },
] as const;
const descriptors: readonly ToolDescriptor[] = NAMES.flatMap((name) =>
  OWNERS.flatMap((owner) =>
    [{}, { readOnlyHint: true }, { destructiveHint: true }].map(
      (annotations) => makeTool(name, undefined, { owner, annotations }).descriptor,
    ),
  ),
);

const entry = fc.constantFrom(
  ...NAMES,
  "*",
  "*e*",
  "group:fs",
  "group:runtime",
  "group:mcp",
  "group:custom",
  "plugin:acme",
  "mcp:srv",
  "mcp:srv/w*",
);
const entries = fc.option(fc.array(entry, { maxLength: 3 }), { nil: undefined });
const layer = fc
  .record({
    profile: fc.option(fc.constantFrom("readonly", "minimal", "coding", "full"), { nil: undefined }),
    allow: entries,
    deny: entries,
    denySelf: entries,
    ask: entries,
    approve: entries,
  })
  .map(
    (lists) =>
      Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)) as Omit<PolicyLayer, "name">,
  );
const layers = fc
  .array(layer, { maxLength: 4 })
  .map((list): readonly PolicyLayer[] => list.map((each, at) => ({ ...each, name: `layer ${at}` })));
const caller = fc.constantFrom("model", "person", "program").map((kind) => ({ kind }) as const);
const tool = fc.constantFrom(...descriptors);

const STRICTNESS = { allow: 0, ask: 1, deny: 2 } as const;
const strictness = (
  policy: readonly PolicyLayer[],
  descriptor: ToolDescriptor,
  by: { readonly kind: "model" | "person" | "program" },
): number => STRICTNESS[compilePolicy(policy).decide(descriptor, by).verdict];

test("adding a deny never allows more", () => {
  fc.assert(
    fc.property(layers, entry, tool, caller, (policy, denied, descriptor, by) => {
      const stricter = [...policy, { name: "more", deny: [denied] }];
      expect(strictness(stricter, descriptor, by)).toBeGreaterThanOrEqual(strictness(policy, descriptor, by));
    }),
  );
});

test("an approve never turns a deny or a written ask into allow", () => {
  fc.assert(
    fc.property(layers, entry, tool, caller, (policy, approved, descriptor, by) => {
      const before = compilePolicy(policy).decide(descriptor, by);
      const after = compilePolicy([...policy, { name: "more", approve: [approved] }]).decide(descriptor, by);
      if (before.verdict === "deny" || before.asked.length > 0) expect(after.verdict).toBe(before.verdict);
    }),
  );
});

test("the order of layers never changes the verdict", () => {
  fc.assert(
    fc.property(layers, tool, caller, (policy, descriptor, by) => {
      expect(strictness([...policy].reverse(), descriptor, by)).toBe(strictness(policy, descriptor, by));
    }),
  );
});

test("a child never allows what its parent denies to its descendants", () => {
  fc.assert(
    fc.property(layers, layers, tool, caller, (parent, own, descriptor, by) => {
      const inherited = childLayers(parent);
      if (strictness(inherited, descriptor, by) === STRICTNESS.deny) {
        expect(strictness([...inherited, ...own], descriptor, by)).toBe(STRICTNESS.deny);
      }
    }),
  );
});

test("a denial binds every caller alike, so that list time and call time agree", () => {
  fc.assert(
    fc.property(layers, tool, (policy, descriptor) => {
      const denied = (["model", "person", "program"] as const).map(
        (kind) => strictness(policy, descriptor, { kind }) === STRICTNESS.deny,
      );
      expect(new Set(denied).size).toBe(1);
    }),
  );
});
