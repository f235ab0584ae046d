import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { buildToolPlan } from "../../../src/core/plan/build-tool-plan.ts";
import type { ToolDescriptor } from "../../../src/core/tool/descriptor.ts";

const sound = (name: string): ToolDescriptor => ({
  name,
  description: name,
  inputSchema: { type: "object" },
  owner: { kind: "core" },
  executor: { kind: "core", executorId: name },
});
const throwing = (key: string): object =>
  Object.defineProperty({ ...sound("m") }, key, {
    get: () => {
      throw new Error("boo");
    },
  });
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

const junk: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["undefined", undefined],
  ["text", "read"],
  ["a list", [sound("m")]],
  ["a revoked proxy", revoked],
  ["without a name", { ...sound("m"), name: undefined }],
  ["with a symbol as its name", { ...sound("m"), name: Symbol("m") }],
  ["with a symbol as its sort key", { ...sound("m"), sortKey: Symbol("m") }],
  ["with a number as its sort key", { ...sound("m"), sortKey: 5 }],
  ["without an owner", { ...sound("m"), owner: undefined }],
  ["with a revoked proxy as its owner", { ...sound("m"), owner: revoked }],
  ["with an owner of no kind", { ...sound("m"), owner: { kind: "constructor" } }],
  ["with text for its executor", { ...sound("m"), executor: "core:m" }],
  ...["name", "sortKey", "owner", "executor"].map((key) => [`whose ${key} throws`, throwing(key)] as const),
];
const plan = (descriptors: readonly unknown[], mode: "strict" | "session") =>
  buildToolPlan({ descriptors: descriptors as readonly ToolDescriptor[], mode }); // junk on purpose

const isPlace = (value: unknown): value is { readonly at: number } =>
  typeof value === "object" && value !== null && "at" in value && typeof value.at === "number";

describe("buildToolPlan", () => {
  test.each(junk)("buildToolPlan hides a descriptor that is %s and keeps the rest in session mode", (_, broken) => {
    const { visible, hidden } = plan([sound("z"), broken, sound("a"), sound("m")], "session");
    expect(visible.map(({ descriptor }) => descriptor.name)).toEqual(["a", "m", "z"]);
    expect(hidden.map(({ diagnostics }) => diagnostics.map(({ reason }) => reason))).toEqual([["schema-unfit"]]);
    expect(() => JSON.stringify(hidden)).not.toThrow();
  });

  test.each(junk)("buildToolPlan throws bad-tool for a descriptor that is %s in strict mode", (_, broken) => {
    expect(() => plan([sound("a"), broken], "strict")).toThrow(expect.objectContaining({ code: "bad-tool" }));
  });

  test("buildToolPlan hides the holes of a list", () => {
    const descriptors = [sound("a")];
    descriptors[2] = sound("c");
    expect(plan(descriptors, "session").hidden).toHaveLength(1);
  });

  test("buildToolPlan sorts what it cannot read among the other hidden ones", () => {
    const needy = { ...sound("p"), availability: { kind: "env", name: "KEY" } };
    const { hidden } = plan([needy, { name: "q" }, { ...needy, name: "b" }, { name: "c" }], "session");
    expect(hidden.map(({ descriptor }) => descriptor.name)).toEqual(["b", "c", "p", "q"]);
  });

  test("buildToolPlan never throws in session mode and loses nothing, whatever it is given", () => {
    const descriptor = fc.oneof(
      fc.anything({ withNullPrototype: true, withBigInt: true }),
      fc.nat({ max: junk.length - 1 }).map((at) => ({ at })),
      fc.record(
        {
          name: fc.oneof(fc.string(), fc.anything()),
          sortKey: fc.anything(),
          owner: fc.oneof(fc.constant({ kind: "core" }), fc.anything()),
          executor: fc.anything(),
          availability: fc.anything(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(descriptor), (given) => {
        // By place: a generator cannot hold a revoked proxy.
        const descriptors = given.map((each) => (isPlace(each) ? junk[each.at]?.[1] : each));
        const { visible, hidden } = plan(descriptors, "session");
        expect(visible.length + hidden.length).toBe(descriptors.length);
        expect(hidden.every(({ diagnostics }) => diagnostics.length > 0)).toBe(true);
      }),
    );
  });
});
