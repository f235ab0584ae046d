import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildToolPlan } from "../../../src/core/plan/build-tool-plan.ts";
import { ToolPlanContractError } from "../../../src/core/plan/contract-error.ts";
import type { Availability } from "../../../src/core/tool/availability.ts";
import { type ToolDescriptor, toToolProtocolDescriptor } from "../../../src/core/tool/descriptor.ts";
import { canonicalToolName } from "../../../src/core/tool/name.ts";
import { formatToolExecutorRef } from "../../../src/core/tool/owner.ts";

function describing(name: string, rest: Partial<ToolDescriptor> = {}): ToolDescriptor {
  return {
    name,
    description: name,
    inputSchema: { type: "object" },
    owner: { kind: "core" },
    executor: { kind: "core", executorId: name },
    ...rest,
  };
}

const namesOf = (entries: readonly { readonly descriptor: ToolDescriptor }[]) =>
  entries.map(({ descriptor }) => descriptor.name);
const needsKey: Availability = { kind: "env", name: "KEY" };

/** The error that `run` throws. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe.each(["strict", "session"] as const)("buildToolPlan in mode %s", (mode) => {
  test("buildToolPlan sorts into visible and hidden, both in order", () => {
    const hidden = describing("hidden", { sortKey: "middle", availability: needsKey });
    const descriptors = [describing("zeta"), describing("alpha"), hidden];
    const plan = buildToolPlan({ descriptors, availability: { env: {} }, mode });
    expect(namesOf(plan.visible)).toEqual(["alpha", "zeta"]);
    expect(plan.hidden).toEqual([
      {
        descriptor: hidden,
        diagnostics: [
          {
            reason: "env-missing",
            message: "Missing environment value: set KEY",
            signal: { kind: "env", name: "KEY" },
          },
        ],
      },
    ]);
    expect(plan.sources).toEqual([]);
    expect(plan.warnings).toEqual([]);
  });

  test("buildToolPlan keeps descriptors and executors as they are, and its input unsorted", () => {
    const [b, a] = [describing("b"), describing("a")];
    const descriptors = [b, a];
    const { visible } = buildToolPlan({ descriptors, mode });
    expect(visible[0]?.descriptor).toBe(a);
    expect(visible[0]?.executor).toBe(a.executor);
    expect(descriptors).toEqual([b, a]);
  });

  test("buildToolPlan hides a tool without an executor for its availability", () => {
    const off = describing("off", { executor: undefined, availability: { kind: "plugin-enabled", pluginId: "acme" } });
    const plan = buildToolPlan({ descriptors: [off], mode });
    expect(plan.hidden[0]?.diagnostics.map(({ reason }) => reason)).toEqual(["plugin-disabled"]);
    expect(plan.visible).toEqual([]);
  });

  test("buildToolPlan hides an authoring error with one diagnostic that has no signal", () => {
    const plan = buildToolPlan({ descriptors: [describing("empty_allof", { availability: { allOf: [] } })], mode });
    expect(plan.hidden[0]?.diagnostics).toEqual([
      { reason: "unsupported-signal", message: "Empty availability allOf group" },
    ]);
  });

  test("buildToolPlan warns of authoring errors in sorted order, and of nothing else", () => {
    const broken: readonly (readonly [string, unknown])[] = [
      ["empty_anyof", { anyOf: [] }],
      ["needs_key", needsKey],
      ["bad_expr", { hello: 1 }],
      ["empty_allof", { allOf: [] }],
      ["fine", undefined],
    ];
    const descriptors = broken.map(
      ([name, availability]) => describing(name, { availability: availability as Availability }), // broken on purpose
    );
    const { warnings } = buildToolPlan({ descriptors, mode });
    expect(warnings.map(({ code }) => code)).toEqual(Array(3).fill("unsupported-signal"));
    expect(warnings.map(({ message }) => message.split(":")[0])).toEqual([
      'Tool "bad_expr" is hidden',
      'Tool "empty_allof" is hidden',
      'Tool "empty_anyof" is hidden',
    ]);
  });

  test("CST-01 buildToolPlan sorts by code unit, sort key before name, the same in every locale", () => {
    const descriptors = [
      describing("b", { sortKey: "z" }),
      describing("a", { sortKey: "z" }),
      describing("_x"),
      describing("Z"),
      describing("i"),
      describing("y", { sortKey: "" }),
    ];
    expect(namesOf(buildToolPlan({ descriptors, mode }).visible)).toEqual(["y", "Z", "_x", "i", "a", "b"]);
  });

  test("buildToolPlan makes protocol descriptors of three fields, and text of executors", () => {
    const executor = { kind: "plugin", pluginId: "demo", toolName: "plugin_tool" } as const;
    const tool = describing("plugin_tool", { title: "T", owner: { kind: "plugin", pluginId: "demo" }, executor });
    const [entry] = buildToolPlan({ descriptors: [tool], mode }).visible;
    expect(entry && toToolProtocolDescriptor(entry.descriptor)).toEqual({
      name: "plugin_tool",
      description: "plugin_tool",
      inputSchema: { type: "object" },
    });
    expect(entry && formatToolExecutorRef(entry.executor)).toBe("plugin:demo:plugin_tool");
  });

  test("buildToolPlan plans nothing for no tools", () => {
    expect(buildToolPlan({ descriptors: [], mode })).toEqual({ visible: [], hidden: [], sources: [], warnings: [] });
  });
});

describe("buildToolPlan in strict mode", () => {
  test("buildToolPlan throws for two tools of one name", () => {
    const error = thrownBy(() =>
      buildToolPlan({ descriptors: [describing("read"), describing("read")], mode: "strict" }),
    );
    expect(error).toBeInstanceOf(ToolPlanContractError);
    expect(error).toMatchObject({
      name: "ToolPlanContractError",
      code: "duplicate-tool-name",
      toolName: "read",
      message: "Duplicate tool descriptor name: read",
    });
  });

  test.each([
    ["Read", "read"],
    ["web-fetch", "web_fetch"],
  ])("buildToolPlan throws for %s beside %s, which no policy could tell apart", (one, two) => {
    const descriptors = [describing("a"), describing(one), describing(two, { sortKey: "0" })];
    expect(() => buildToolPlan({ descriptors, mode: "strict" })).toThrow(ToolPlanContractError);
  });

  test("buildToolPlan throws for two tools of one name although one is hidden", () => {
    const descriptors = [describing("read"), describing("read", { availability: needsKey })];
    expect(() => buildToolPlan({ descriptors, mode: "strict" })).toThrow("Duplicate tool descriptor name: read");
  });

  test("buildToolPlan throws for a visible tool without an executor", () => {
    const error = thrownBy(() =>
      buildToolPlan({ descriptors: [describing("read", { executor: undefined })], mode: "strict" }),
    );
    expect(error).toBeInstanceOf(ToolPlanContractError);
    expect(error).toMatchObject({ code: "missing-executor", toolName: "read" });
  });
});

describe("buildToolPlan in session mode", () => {
  test("buildToolPlan hides all tools of one canonical name, names their owners, and keeps the rest", () => {
    const descriptors = [
      describing("read"),
      describing("Read", { owner: { kind: "plugin", pluginId: "acme" }, availability: needsKey }),
      describing("write"),
    ];
    const plan = buildToolPlan({ descriptors, mode: "session" });
    expect(namesOf(plan.visible)).toEqual(["write"]);
    expect(plan.hidden.map(({ diagnostics }) => diagnostics.map(({ reason }) => reason))).toEqual([
      ["env-missing", "duplicate-tool-name"],
      ["duplicate-tool-name"],
    ]);
    expect(plan.hidden[1]?.diagnostics[0]?.message).toContain('"Read" of plugin:acme, "read" of core');
  });

  test("buildToolPlan finds equal names that a sort key keeps apart", () => {
    const descriptors = [describing("a", { sortKey: "1" }), describing("b", { sortKey: "2" }), describing("a")];
    expect(namesOf(buildToolPlan({ descriptors, mode: "session" }).visible)).toEqual(["b"]);
  });

  test("buildToolPlan names a few of many owners", () => {
    const descriptors = Array.from({ length: 5000 }, () => describing("read"));
    const { hidden } = buildToolPlan({ descriptors, mode: "session" });
    expect(hidden).toHaveLength(5000);
    expect(hidden[0]?.diagnostics[0]?.message).toContain("and 4996 more");
    expect(hidden[0]?.diagnostics[0]?.message.length).toBeLessThan(300);
  });

  test("buildToolPlan hides a tool without an executor and keeps the rest", () => {
    const descriptors = [describing("read", { executor: undefined }), describing("write")];
    const plan = buildToolPlan({ descriptors, mode: "session" });
    expect(namesOf(plan.visible)).toEqual(["write"]);
    expect(plan.hidden[0]?.diagnostics).toEqual([
      { reason: "missing-executor", message: "Visible tool descriptor has no executor ref: read" },
    ]);
  });

  const descriptor = fc
    .record({
      name: fc.constantFrom("a", "A", "b", "b-c", "b_c", "constructor", "__proto__", "z"),
      sortKey: fc.option(fc.constantFrom("a", "b", "m"), { nil: undefined }),
      hasExecutor: fc.boolean(),
      availability: fc.oneof(
        fc.constant(undefined),
        fc.constant({ kind: "always" }),
        fc.constant(needsKey),
        fc.anything(),
      ),
      plugin: fc.constantFrom("x", "y"),
    })
    .map(({ name, sortKey, hasExecutor, availability, plugin }) =>
      describing(name, {
        owner: { kind: "plugin", pluginId: plugin },
        availability: availability as Availability, // junk on purpose
        ...(sortKey === undefined ? {} : { sortKey }),
        ...(hasExecutor ? {} : { executor: undefined }),
      }),
    );

  test("buildToolPlan puts every tool on exactly one side, every hidden one with a reason", () => {
    fc.assert(
      fc.property(fc.array(descriptor), (descriptors) => {
        const { visible, hidden } = buildToolPlan({ descriptors, mode: "session" });
        const placed = [...visible, ...hidden].map((entry) => entry.descriptor);
        expect(placed).toHaveLength(descriptors.length);
        expect(new Set(placed)).toEqual(new Set(descriptors));
        expect(hidden.every(({ diagnostics }) => diagnostics.length > 0)).toBe(true);
      }),
    );
  });

  test("buildToolPlan shows no two tools of one canonical name", () => {
    fc.assert(
      fc.property(fc.array(descriptor), (descriptors) => {
        const names = namesOf(buildToolPlan({ descriptors, mode: "session" }).visible).map(canonicalToolName);
        expect(new Set(names).size).toBe(names.length);
        const count = (name: string) => descriptors.filter((each) => canonicalToolName(each.name) === name).length;
        expect(names.every((name) => count(name) === 1)).toBe(true);
      }),
    );
  });

  test("CST-01 buildToolPlan does not depend on the order in which tools arrive", () => {
    fc.assert(
      fc.property(fc.array(descriptor), fc.infiniteStream(fc.nat()), (descriptors, random) => {
        const shuffled = descriptors
          .map((each) => ({ each, at: random.next().value }))
          .sort((left, right) => left.at - right.at)
          .map(({ each }) => each);
        const outcome = (given: readonly ToolDescriptor[]) => {
          const { visible, hidden } = buildToolPlan({ descriptors: given, mode: "session" });
          const text = ({ name, sortKey, owner }: ToolDescriptor) => JSON.stringify([sortKey ?? name, name, owner]);
          return {
            visible: visible.map((entry) => text(entry.descriptor)),
            hidden: hidden.map((entry) => text(entry.descriptor)),
          };
        };
        expect(outcome(shuffled)).toEqual(outcome(descriptors));
      }),
    );
  });
});
