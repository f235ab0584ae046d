import { createAgentSession, createToolRegistry, type PolicyLayer, ToolmapError } from "toolmap";
import { describe, expect, test } from "vitest";
import { childLayers, compilePolicy } from "../../../src/core/policy/compile-policy.ts";
import {
  describeRejectOnly,
  lintPolicy,
  noToolVisible,
  type PolicyUniverse,
} from "../../../src/core/policy/lint-policy.ts";
import { buildView, decideEntry } from "../../../src/core/policy/view.ts";
import { fakeSource, makeTool } from "../../support/tools.ts";

const core = (name: string, annotations = {}) =>
  makeTool(name, undefined, { owner: { kind: "core" }, annotations }).descriptor;
const mcp = makeTool("srv__wipe", undefined, {
  owner: { kind: "mcp", serverId: "srv" },
  annotations: { readOnlyHint: true },
}).descriptor;
const own = makeTool("own").descriptor;
const read = core("read", { readOnlyHint: true });
const write = core("write");

const decide = (
  layers: readonly PolicyLayer[],
  descriptor = own,
  kind: "model" | "person" | "program" = "model",
  ask?: "never" | "writes" | "always",
) => compilePolicy(layers, ask ? { ask } : {}).decide(descriptor, { kind }).verdict;

describe("decide", () => {
  test.each<[string, Parameters<typeof decide>, string]>([
    [
      "deny beats everything",
      [
        [
          { name: "a", approve: ["own"], ask: ["own"] },
          { name: "b", deny: ["own"] },
        ],
      ],
      "deny",
    ],
    ["deny binds a person", [[{ name: "a", deny: ["own"] }], own, "person"], "deny"],
    ["denySelf denies", [[{ name: "a", denySelf: ["own"] }]], "deny"],
    ["outside an allow is denied", [[{ name: "a", allow: ["read"] }]], "deny"],
    ["POL-17 an empty allow is nothing", [[{ name: "a", allow: [] }]], "deny"],
    ["outside a profile is denied", [[{ name: "a", profile: "minimal" }], write], "deny"],
    [
      "alsoAllow widens its own layer's profile",
      [[{ name: "a", profile: "minimal", alsoAllow: ["write"], approve: ["write"] }], write],
      "allow",
    ],
    [
      "alsoAllow does not widen another layer",
      [
        [
          { name: "a", profile: "minimal" },
          { name: "b", profile: "minimal", alsoAllow: ["write"] },
        ],
        write,
      ],
      "deny",
    ],
    ["allow narrows a profile", [[{ name: "a", profile: "coding", allow: ["read"] }], write], "deny"],
    [
      "POL-18 a written ask beats approve",
      [
        [
          { name: "a", approve: ["*"] },
          { name: "b", ask: ["own"] },
        ],
      ],
      "ask",
    ],
    ["a written ask binds a program", [[{ name: "a", ask: ["own"] }], own, "program"], "ask"],
    ["a written ask does not bind a person", [[{ name: "a", ask: ["own"] }], own, "person"], "allow"],
    ["approve lets a write run", [[{ name: "a", approve: ["write"] }], write], "allow"],
    ["by default a core write asks", [[], write], "ask"],
    ["by default a core read runs", [[], read], "allow"],
    ["by default the program's own runs", [[]], "allow"],
    [
      "by default the program's own that is destructive asks",
      [[], makeTool("own", undefined, { annotations: { destructiveHint: true } }).descriptor],
      "ask",
    ],
    [
      "a destructive tool that calls itself read-only asks",
      [[], core("x", { readOnlyHint: true, destructiveHint: true })],
      "ask",
    ],
    ["an MCP server's own read-only hint does not count", [[], mcp], "ask"],
    ["only a model's calls ask by default", [[], write, "program"], "allow"],
    ["defaults.ask never", [[], write, "model", "never"], "allow"],
    ["defaults.ask always", [[], read, "model", "always"], "ask"],
  ])("%s", (_, given, verdict) => expect(decide(...given)).toBe(verdict));

  test("the readonly profile has what reads by a hint that counts", () => {
    const layers = [{ name: "a", profile: "readonly" }];
    expect([read, write, mcp, own].map((each) => decide(layers, each))).toEqual(["allow", "deny", "deny", "deny"]);
  });

  test("a view decides once for each tool and kind of caller", () => {
    const policy = compilePolicy([{ name: "a", ask: ["own"] }]);
    const registry = createToolRegistry({ tools: [makeTool("own")] }).current;
    const gates = { disableBuiltInTools: false, allowedToolNames: undefined };
    const view = buildView({ registry, policy, availability: undefined, gates });
    const [entry] = view.entries.values();
    for (const kind of ["model", "person", "program"] as const) {
      const decision = entry && decideEntry(view, entry, { kind });
      expect(decision?.verdict).toBe(kind === "person" ? "allow" : "ask");
      expect(entry && decideEntry(view, entry, { kind, id: "other" })).toBe(decision);
    }
  });

  test("a decision names rule, layer and place, and what would change it", () => {
    const places = { placeOf: (layer: string, list: string, index: number) => `${layer}.jsonc:${list}:${index}` };
    const decision = compilePolicy([{ name: "house", deny: ["own"] }], { places }).decide(own, { kind: "model" });
    expect(decision).toMatchObject({
      verdict: "deny",
      rule: { layer: "house", text: "deny own", source: "house.jsonc:deny:0" },
    });
    expect(decision.fix).toContain("house.jsonc:deny:0");
    const outside = compilePolicy([{ name: "house", allow: ["read"] }], { places }).decide(own, { kind: "model" });
    expect(outside.rule?.source).toBe("house.jsonc:allow:-1");
  });

  test("childLayers keeps all but what binds the parent alone", () => {
    const layers = childLayers([{ name: "a", deny: ["x"], denySelf: ["own"], allow: ["own"] }]);
    expect(decide(layers)).toBe("allow");
    expect(decide(layers, write)).toBe("deny");
  });
});

describe("compilePolicy", () => {
  test.each<[string, unknown, string]>([
    ["not a list", {}, "list of layers"],
    ["a layer that is no object", [5], "not an object"],
    ["a layer without a name", [{ deny: [] }], "no name"],
    ["two layers of one name", [{ name: "a" }, { name: "a" }], '"a"'],
    ["an unknown member", [{ name: "a", denny: [] }], "denny"],
    ["a list that is none", [{ name: "a", deny: "exec" }], "deny"],
    ["an entry that is no text", [{ name: "a", deny: [5] }], "text"],
    ["an unknown profile", [{ name: "a", profile: "codign" }], "codign"],
    ["alsoAllow without a profile", [{ name: "a", alsoAllow: ["x"] }], "alsoAllow"],
    ["an argument rule", [{ name: "a", deny: ["exec(rm:*)"] }], "argument rules"],
  ])("refuses %s", (_, layers, words) => {
    const breach = (): unknown => compilePolicy(layers as readonly PolicyLayer[]);
    expect(breach).toThrow(ToolmapError);
    expect(breach).toThrow(
      expect.objectContaining({ code: "bad-policy", message: expect.stringContaining(words) as string }),
    );
  });
});

describe("lintPolicy", () => {
  const universe: PolicyUniverse = {
    descriptors: [
      read,
      write,
      own,
      mcp,
      makeTool("deploy", undefined, { owner: { kind: "plugin", pluginId: "acme" } }).descriptor,
    ],
    sources: [
      { id: "slow", state: "starting" },
      { id: "srv", state: "ready" },
    ],
    sourceKinds: new Map([
      ["slow", "mcp"],
      ["srv", "mcp"],
    ]),
  };
  const lint = (...layers: readonly PolicyLayer[]) => lintPolicy(compilePolicy(layers), universe);
  const codes = (...layers: readonly PolicyLayer[]) => lint(...layers).warnings.map(({ code }) => code);

  test("POL-12 a typo, a built-in that is not here and a server that is still starting are told apart", () => {
    expect(codes({ name: "a", allow: ["raed"] })).toEqual(["policy-unknown-entry"]);
    expect(codes({ name: "a", allow: ["web_search"] })).toEqual(["policy-not-here"]);
    expect(codes({ name: "a", allow: ["mcp:slow/x"] })).toEqual(["policy-waiting"]);
    expect(codes({ name: "a", allow: ["deploy"] })).toEqual([]);
  });

  test("POL-11 the warning names layer, entry and suggestion", () => {
    const [warning] = lint({ name: "agent", allow: ["raed"] }).warnings;
    expect(warning?.message).toMatch(/agent.*allow.*raed/);
    expect(warning?.fix).toContain("read");
  });

  test.each(["deny", "denySelf", "ask"] as const)(
    "an unknown name in %s is an error, unless its server is still to come",
    (list) => {
      expect(lint({ name: "a", [list]: ["exce"] }).errors).toHaveLength(1);
      expect(lint({ name: "a", [list]: ["mcp:slow/drop"] }).errors).toEqual([]);
      expect(lint({ name: "a", [list]: ["mcp:srv/drop"] }).errors).toHaveLength(1);
    },
  );

  test("POL-15 a name that could mean an MCP tool only by its name in the Map is refused with the origin form", () => {
    for (const list of ["allow", "deny", "approve"] as const) {
      expect(lint({ name: "a", [list]: ["srv__wipe"] }).errors).toMatchObject([
        { code: "policy-mcp-by-name", fix: expect.stringContaining("mcp:srv/wipe") as string },
      ]);
    }
  });

  test("rules that do less, or more, than they seem are said", () => {
    expect(codes({ name: "a", approve: ["write"], deny: ["write"] })).toEqual(["policy-contradiction"]);
    expect(codes({ name: "a", approve: ["write"], ask: ["group:fs"] })).toEqual(["policy-shadowed"]);
    expect(codes({ name: "a", approve: ["*"] })).toEqual(["policy-too-broad"]);
  });

  test("a session is not created over a typo in deny, and says where and what was meant", async () => {
    const places = { placeOf: () => "house.jsonc:4" };
    const creating = createAgentSession({
      tools: [makeTool("deploy")],
      policy: [{ name: "house", deny: ["deplyo"] }],
      ports: { places },
    });
    await expect(creating).rejects.toMatchObject({
      code: "bad-policy",
      source: "house.jsonc:4",
      fix: expect.stringContaining("deploy") as string,
    });
  });

  test("HOK-04 a hook for a tool that does not exist is warned of, one for a server that is to come waits", async () => {
    const session = await createAgentSession({
      tools: [makeTool("bash")],
      sources: [fakeSource("later", "mcp", { state: "starting", tools: [] })],
      hooks: [
        { name: "guard", tools: ["bahs"] },
        { name: "watch", tools: ["mcp:later/*"] },
      ],
    });
    const warnings = session.plan().warnings;
    expect(warnings.find(({ message }) => message.includes("guard"))).toMatchObject({
      code: "policy-unknown-entry",
      fix: expect.stringContaining("bash") as string,
    });
    expect(warnings.find(({ message }) => message.includes("watch"))?.code).toBe("policy-waiting");
  });

  test("noToolVisible names the layer, describeRejectOnly the tools", () => {
    const closed = compilePolicy([{ name: "open" }, { name: "closed", allow: [] }]);
    expect(noToolVisible(closed, [read])?.message).toContain('"closed"');
    const warning = describeRejectOnly([write, mcp]);
    expect(warning?.message).toMatch(/write, mcp:srv\/srv__wipe/);
    expect(describeRejectOnly([])).toBeUndefined();
  });
});
