import {
  type Availability,
  type AvailabilityContext,
  type AvailabilitySignal,
  buildToolPlan,
  evaluateToolAvailability,
  formatToolExecutorRef,
  type ToolDescriptor,
  ToolPlanContractError,
  toToolProtocolDescriptor,
} from "toolmap";
import { describe, expect, test } from "vitest";

/** What the original planner's own tests demand: an input each, and what has to come out. */
function describing(name: string, more: Partial<ToolDescriptor> = {}): ToolDescriptor {
  return {
    name,
    description: name,
    inputSchema: { type: "object" },
    owner: { kind: "core" },
    executor: { kind: "core", executorId: name },
    ...more,
  };
}

function reasons(availability: Availability | undefined, context?: AvailabilityContext): readonly string[] {
  const descriptor = describing("t", availability === undefined ? {} : { availability });
  return evaluateToolAvailability(context ? { descriptor, context } : { descriptor }).map(({ reason }) => reason);
}

const auth: AvailabilitySignal = { kind: "auth", providerId: "acme" };
const env: AvailabilitySignal = { kind: "env", name: "ACME_KEY" };
const config: AvailabilitySignal = { kind: "config", path: ["acme", "url"] };
const plugin: AvailabilitySignal = { kind: "plugin-enabled", pluginId: "acme" };
const context: AvailabilitySignal = { kind: "context", key: "channel", equals: "chat" };
const everything: AvailabilityContext = {
  authProviderIds: new Set(["acme"]),
  env: { ACME_KEY: "k" },
  config: { acme: { url: "x", secret: { source: "vault", provider: "p", id: "i" }, template: "${SOME_ENV}" } },
  enabledPluginIds: new Set(["acme"]),
  values: { channel: "chat" },
};

describe("evaluateToolAvailability", () => {
  test("1 a descriptor without availability is available", () => {
    expect(reasons(undefined)).toEqual([]);
  });

  test("2 allOf of every signal passes when all are satisfied", () => {
    expect(reasons({ allOf: [auth, config, env, plugin, context] }, everything)).toEqual([]);
  });

  test("3 allOf in an empty context gives every reason in the order of the expression", () => {
    expect(reasons({ allOf: [auth, env, config, plugin, context] }, {})).toEqual([
      "auth-missing",
      "env-missing",
      "config-missing",
      "plugin-disabled",
      "context-mismatch",
    ]);
  });

  const secret: AvailabilitySignal = { kind: "config", path: ["acme", "secret"], check: "available" };
  test("4 a secret reference is not available without a resolver", () => {
    expect(reasons(secret, everything)).toEqual(["config-missing"]);
  });

  test("5 a resolver that says true makes it available, and is asked with value, path and signal", () => {
    const asked: unknown[] = [];
    const resolving: AvailabilityContext = {
      ...everything,
      isConfigValueAvailable: (request) => asked.push(request) > 0,
    };
    expect(reasons(secret, resolving)).toEqual([]);
    expect(asked).toEqual([
      { value: { source: "vault", provider: "p", id: "i" }, path: ["acme", "secret"], signal: secret },
    ]);
  });

  test("6 a template text is not available without a resolver", () => {
    expect(reasons({ kind: "config", path: ["acme", "template"], check: "available" }, everything)).toEqual([
      "config-missing",
    ]);
  });

  test("7 a secret reference is not empty", () => {
    expect(reasons({ kind: "config", path: ["acme", "secret"], check: "non-empty" }, everything)).toEqual([]);
  });

  const any: Availability = { anyOf: [auth, env, { allOf: [config, plugin] }] };
  test("8 anyOf passes when one branch does", () => {
    expect(reasons(any, { env: { ACME_KEY: "k" } })).toEqual([]);
  });

  test("9 anyOf with nothing gives every reason of every branch", () => {
    expect(reasons(any, {})).toEqual(["auth-missing", "env-missing", "config-missing", "plugin-disabled"]);
  });

  test("10 an authoring error in a sibling hides the tool although another branch passes", () => {
    expect(reasons({ anyOf: [auth, { allOf: [] }] }, everything)).toEqual(["unsupported-signal"]);
  });

  test("11 an expression that contains itself ends as unsupported", () => {
    const loop: { allOf: Availability[] } = { allOf: [] };
    loop.allOf.push(loop);
    expect(reasons(loop)).toEqual(["unsupported-signal"]);
  });

  test.each([
    ["auth", { kind: "auth" }],
    ["config", { kind: "config" }],
    ["env", { kind: "env", name: 5 }],
    ["plugin-enabled", { kind: "plugin-enabled", pluginId: "" }],
    ["context", { kind: "context" }],
  ])("12 a malformed %s signal is unsupported, with what is malformed", (kind, signal) => {
    const descriptor = describing("t", { availability: signal as unknown as Availability });
    expect(evaluateToolAvailability({ descriptor, context: everything })).toMatchObject([
      { reason: "unsupported-signal", message: expect.stringContaining(`Malformed ${kind} signal`) as string },
    ]);
  });

  test.each<[string, AvailabilitySignal, AvailabilityContext, boolean]>([
    ["exists: false passes", { kind: "config", path: ["a"] }, { config: { a: false } }, true],
    ["exists: 0 passes", { kind: "config", path: ["a"] }, { config: { a: 0 } }, true],
    ["exists: an empty text passes", { kind: "config", path: ["a"] }, { config: { a: "" } }, true],
    ["exists: null is missing", { kind: "config", path: ["a"] }, { config: { a: null } }, false],
    [
      "non-empty: blanks are empty",
      { kind: "config", path: ["a"], check: "non-empty" },
      { config: { a: "  " } },
      false,
    ],
    ["non-empty: [] is empty", { kind: "config", path: ["a"], check: "non-empty" }, { config: { a: [] } }, false],
    ["non-empty: {} is empty", { kind: "config", path: ["a"], check: "non-empty" }, { config: { a: {} } }, false],
    ["non-empty: 0 passes", { kind: "config", path: ["a"], check: "non-empty" }, { config: { a: 0 } }, true],
    ["a path does not walk into arrays", { kind: "config", path: ["a", "0"] }, { config: { a: ["x"] } }, false],
    ["a blank environment value is missing", env, { env: { ACME_KEY: "  " } }, false],
    ["a context value may be null", { kind: "context", key: "k" }, { values: { k: null } }, true],
    ["a context value may be false", { kind: "context", key: "k" }, { values: { k: false } }, true],
    ["equals is strict", { kind: "context", key: "k", equals: 1 }, { values: { k: "1" } }, false],
  ])("signals: %s", (_, signal, given, passes) => {
    expect(reasons(signal, given).length === 0).toBe(passes);
  });
});

describe("buildToolPlan", () => {
  test("1 sorts visible and hidden, by sortKey before name", () => {
    const plan = buildToolPlan({
      descriptors: [
        describing("zeta"),
        describing("alpha"),
        describing("hidden", { sortKey: "middle", availability: env }),
      ],
      mode: "strict",
    });
    expect(plan.visible.map(({ descriptor }) => descriptor.name)).toEqual(["alpha", "zeta"]);
    expect(plan.hidden).toMatchObject([{ descriptor: { name: "hidden" }, diagnostics: [{ reason: "env-missing" }] }]);
  });

  test("2 two descriptors of one name throw in strict mode and are both hidden in session mode", () => {
    const descriptors = [describing("read"), describing("read"), describing("other")];
    const breach = (): unknown => buildToolPlan({ descriptors, mode: "strict" });
    expect(breach).toThrow(ToolPlanContractError);
    expect(breach).toThrow(expect.objectContaining({ code: "duplicate-tool-name", toolName: "read" }));
    const plan = buildToolPlan({ descriptors, mode: "session" });
    expect(plan.visible.map(({ descriptor }) => descriptor.name)).toEqual(["other"]);
    expect(plan.hidden.map(({ diagnostics }) => diagnostics[0]?.reason)).toEqual([
      "duplicate-tool-name",
      "duplicate-tool-name",
    ]);
  });

  test("3 a visible descriptor without an executor throws in strict mode and is hidden in session mode", () => {
    const descriptors = [describing("t", { executor: undefined }), describing("u")];
    expect(() => buildToolPlan({ descriptors, mode: "strict" })).toThrow(
      expect.objectContaining({ code: "missing-executor", toolName: "t" }),
    );
    const plan = buildToolPlan({ descriptors, mode: "session" });
    expect(plan.hidden).toMatchObject([{ descriptor: { name: "t" }, diagnostics: [{ reason: "missing-executor" }] }]);
    expect(plan.visible).toHaveLength(1);
  });

  test("4 a hidden descriptor may lack an executor", () => {
    const plan = buildToolPlan({
      descriptors: [describing("t", { executor: undefined, availability: plugin })],
      mode: "strict",
    });
    expect(plan.hidden.map(({ diagnostics }) => diagnostics.map(({ reason }) => reason))).toEqual([
      ["plugin-disabled"],
    ]);
  });

  test("5 an empty group hides, with one diagnostic that carries no signal", () => {
    const plan = buildToolPlan({ descriptors: [describing("t", { availability: { allOf: [] } })], mode: "strict" });
    expect(plan.hidden[0]?.diagnostics).toEqual([
      { reason: "unsupported-signal", message: "Empty availability allOf group" },
    ]);
  });

  test("6 to 8 an authoring error is a warning of the plan that names the tool; a missing credential is none", () => {
    const plan = buildToolPlan({
      descriptors: [describing("broken", { availability: { anyOf: [] } }), describing("fine", { availability: auth })],
      mode: "session",
    });
    expect(plan.warnings).toMatchObject([
      { code: "unsupported-signal", message: expect.stringContaining('"broken"') as string },
    ]);
  });

  test("9 a protocol descriptor has exactly three fields, and an executor ref is text", () => {
    const descriptor = describing("plugin_tool", {
      title: "T",
      annotations: {},
      owner: { kind: "plugin", pluginId: "demo" },
      executor: { kind: "plugin", pluginId: "demo", toolName: "plugin_tool" },
    });
    expect(Object.keys(toToolProtocolDescriptor(descriptor)).sort()).toEqual(["description", "inputSchema", "name"]);
    expect(descriptor.executor && formatToolExecutorRef(descriptor.executor)).toBe("plugin:demo:plugin_tool");
  });
});

describe("what the original planner gets wrong", () => {
  const hostile = (availability: unknown): readonly string[] => reasons(availability as Availability, everything);

  test("names that differ in case are one name", () => {
    const descriptors = [describing("Read"), describing("read")];
    expect(() => buildToolPlan({ descriptors, mode: "strict" })).toThrow(ToolPlanContractError);
    expect(buildToolPlan({ descriptors, mode: "session" }).visible).toEqual([]);
  });

  test("availability: null is an authoring error and not always true", () => {
    expect(hostile(null)).toEqual(["unsupported-signal"]);
  });

  test.each([
    ["kind and allOf", { kind: "always", allOf: [auth] }],
    ["allOf and anyOf", { allOf: [{ kind: "always" }], anyOf: [env] }],
  ])("a mix of %s is refused and weakens no gate", (_, mixed) => {
    expect(hostile(mixed)).toEqual(["unsupported-signal"]);
  });

  test("null inside a group is refused and takes nothing else down", () => {
    expect(hostile({ allOf: [null, { kind: "always" }] })).toEqual(["unsupported-signal"]);
    const plan = buildToolPlan({
      descriptors: [describing("a", { availability: { allOf: [null] } as unknown as Availability }), describing("b")],
      mode: "session",
    });
    expect(plan.visible.map(({ descriptor }) => descriptor.name)).toEqual(["b"]);
  });

  test.each<[string, AvailabilitySignal]>([
    ["config toString", { kind: "config", path: ["toString"] }],
    ["config __proto__.constructor", { kind: "config", path: ["__proto__", "constructor"] }],
    ["context constructor", { kind: "context", key: "constructor" }],
    ["env toString", { kind: "env", name: "toString" }],
  ])("what every object inherits is not configured: %s", (_, signal) => {
    expect(reasons(signal, { config: {}, values: {}, env: {} })).toHaveLength(1);
  });

  test("an empty config path is malformed", () => {
    expect(hostile({ kind: "config", path: [] })).toEqual(["unsupported-signal"]);
  });

  test("the order is by code unit, the same in every locale", () => {
    const names = ["ä", "Z", "a", "_", "z", "B"];
    const plan = buildToolPlan({
      descriptors: names
        .map((name) => describing(name))
        .slice(0, 1)
        .concat(["Zz", "aa", "_b", "zy", "Bx"].map((name) => describing(name))),
      mode: "session",
    });
    const sorted = plan.visible.map(({ descriptor }) => descriptor.name);
    expect(sorted).toEqual([...sorted].sort());
  });
});
