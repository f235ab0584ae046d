import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluateToolAvailability } from "../../../src/core/plan/evaluate-availability.ts";
import type { Availability, AvailabilityContext } from "../../../src/core/tool/availability.ts";
import type { ToolDescriptor } from "../../../src/core/tool/descriptor.ts";

/** Availability may be anything at all: descriptors come from outside. */
function describing(availability: unknown): ToolDescriptor {
  return {
    name: "web_search",
    description: "Searches.",
    inputSchema: { type: "object" },
    owner: { kind: "core" },
    executor: { kind: "core", executorId: "web_search" },
    availability: availability as Availability, // malformed on purpose in many tests
  };
}

const evaluate = (availability: unknown, context?: AvailabilityContext) =>
  evaluateToolAvailability({ descriptor: describing(availability), ...(context ? { context } : {}) });
const reasons = (availability: unknown, context?: AvailabilityContext) =>
  evaluate(availability, context).map(({ reason }) => reason);
const messages = (availability: unknown, context?: AvailabilityContext) =>
  evaluate(availability, context).map(({ message }) => message);

const everything = {
  allOf: [
    { kind: "auth", providerId: "acme" },
    { kind: "env", name: "ACME_KEY" },
    { kind: "config", path: ["acme", "url"] },
    { kind: "plugin-enabled", pluginId: "acme" },
    { kind: "context", key: "channel", equals: "chat" },
  ],
};
const secretRef = { source: "vault", provider: "main", id: "key" };
const available = { kind: "config", path: ["acme", "secret"], check: "available" };

describe("evaluateToolAvailability, as the original", () => {
  test("evaluateToolAvailability finds nothing against a tool without availability", () => {
    const { availability: _, ...descriptor } = describing(undefined);
    expect(evaluateToolAvailability({ descriptor })).toEqual([]);
    expect(evaluate(undefined)).toEqual([]);
    expect(evaluate({ kind: "always" })).toEqual([]);
  });

  test("evaluateToolAvailability is content when every signal of allOf holds", () => {
    expect(
      evaluate(everything, {
        authProviderIds: new Set(["acme"]),
        env: { ACME_KEY: "secret" },
        config: { acme: { url: "https://acme.test" } },
        enabledPluginIds: new Set(["acme"]),
        values: { channel: "chat" },
      }),
    ).toEqual([]);
  });

  test("evaluateToolAvailability names every failing signal of allOf, in order, each with its signal", () => {
    const diagnostics = evaluate(everything);
    expect(diagnostics.map(({ reason }) => reason)).toEqual([
      "auth-missing",
      "env-missing",
      "config-missing",
      "plugin-disabled",
      "context-mismatch",
    ]);
    expect(diagnostics.map(({ signal }) => signal)).toEqual(everything.allOf);
  });

  test("evaluateToolAvailability says in words what to set", () => {
    expect(messages(everything)).toEqual([
      "Missing auth provider: acme (sign in to it)",
      "Missing environment value: set ACME_KEY",
      "Missing config path: acme.url (set it)",
      "Plugin is not enabled: acme (enable it)",
      'Context value did not match: channel (it must be "chat")',
    ]);
  });

  test("evaluateToolAvailability takes a secret reference for no secret without somebody who resolves it", () => {
    expect(reasons(available, { config: { acme: { secret: secretRef } } })).toEqual(["config-missing"]);
    expect(reasons(available, { config: { acme: { secret: "${ACME_KEY}" } } })).toEqual(["config-missing"]);
  });

  test("evaluateToolAvailability asks the host whether a value resolves, with value, path and signal", () => {
    const asked: unknown[] = [];
    const context: AvailabilityContext = {
      config: { acme: { secret: secretRef } },
      isConfigValueAvailable: (request) => {
        asked.push(request);
        return true;
      },
    };
    expect(evaluate(available, context)).toEqual([]);
    expect(asked).toEqual([{ value: secretRef, path: ["acme", "secret"], signal: available }]);
  });

  test("evaluateToolAvailability counts an object with members as not empty, whatever it refers to", () => {
    const signal = { kind: "config", path: ["acme", "secret"], check: "non-empty" };
    expect(evaluate(signal, { config: { acme: { secret: secretRef } } })).toEqual([]);
  });

  const oneOf = {
    anyOf: [
      { kind: "auth", providerId: "acme" },
      { kind: "env", name: "ACME_KEY" },
      {
        allOf: [
          { kind: "config", path: ["acme"] },
          { kind: "plugin-enabled", pluginId: "acme" },
        ],
      },
    ],
  };

  test("evaluateToolAvailability is content with one branch of anyOf", () => {
    expect(evaluate(oneOf, { env: { ACME_KEY: "secret" } })).toEqual([]);
  });

  test("evaluateToolAvailability names what every branch of anyOf lacks when none holds", () => {
    expect(reasons(oneOf)).toEqual(["auth-missing", "env-missing", "config-missing", "plugin-disabled"]);
  });

  test("evaluateToolAvailability hides a tool for an empty group beside a branch that holds", () => {
    const broken = { anyOf: [{ kind: "auth", providerId: "acme" }, { allOf: [] }] };
    expect(reasons(broken, { authProviderIds: new Set(["acme"]) })).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability refuses empty groups with a diagnostic that has no signal", () => {
    expect(evaluate({ allOf: [] })).toEqual([
      { reason: "unsupported-signal", message: "Empty availability allOf group" },
    ]);
    expect(evaluate({ anyOf: [] })).toEqual([
      { reason: "unsupported-signal", message: "Empty availability anyOf group" },
    ]);
  });

  test.each([
    [{ kind: "auth" }, "Malformed auth signal: missing providerId"],
    [{ kind: "auth", providerId: 7 }, "Malformed auth signal: missing providerId"],
    [{ kind: "env", name: "" }, "Malformed env signal: missing name"],
    [{ kind: "plugin-enabled" }, "Malformed plugin-enabled signal: missing pluginId"],
    [{ kind: "context", key: null }, "Malformed context signal: missing key"],
    [{ kind: "config" }, "Malformed config signal: missing path"],
    [{ kind: "config", path: "acme.url" }, "Malformed config signal: missing path"],
    [{ kind: "config", path: ["acme", 1] }, "Malformed config signal: missing path"],
    [{ kind: "moon", phase: "full" }, 'Unsupported availability signal: "moon" is none of always'],
    [{ kind: 1n }, "Unsupported availability signal: a value of type bigint is none of always"],
    [{ hello: 1 }, "Unsupported availability expression: it has none of kind, allOf, anyOf"],
  ])("evaluateToolAvailability refuses %o", (signal, message) => {
    const diagnostics = evaluate(signal, { env: { "": "x" }, values: { null: 1 } });
    expect(diagnostics.map(({ reason }) => reason)).toEqual(["unsupported-signal"]);
    expect(diagnostics[0]?.message).toContain(message);
  });
});

describe("evaluateToolAvailability, signal by signal", () => {
  test.each([undefined, "", "  ", "\t\n"])(
    "evaluateToolAvailability takes the environment value %j for missing",
    (value) => {
      expect(reasons({ kind: "env", name: "KEY" }, { env: { KEY: value } })).toEqual(["env-missing"]);
    },
  );

  const config = {
    zero: 0,
    no: false,
    text: "",
    blank: " ",
    nothing: null,
    list: [],
    full: [1],
    object: {},
    deep: { a: 1 },
  };
  const passing = {
    exists: ["zero", "no", "text", "blank", "list", "full", "object", "deep"],
    "non-empty": ["zero", "no", "full", "deep"],
  };
  test.each(["exists", "non-empty"] as const)("evaluateToolAvailability checks that a config value %s", (check) => {
    const held = Object.keys(config).filter(
      (key) => evaluate({ kind: "config", path: [key], check }, { config }).length === 0,
    );
    expect(held).toEqual(passing[check]);
  });

  test("evaluateToolAvailability reads exists where no check is given", () => {
    expect(evaluate({ kind: "config", path: ["text"] }, { config })).toEqual([]);
    expect(reasons({ kind: "config", path: ["nothing"] }, { config })).toEqual(["config-missing"]);
  });

  test("evaluateToolAvailability walks objects of a configuration, never lists or text", () => {
    expect(evaluate({ kind: "config", path: ["deep", "a"] }, { config })).toEqual([]);
    for (const path of [
      ["full", "0"],
      ["full", "length"],
      ["text", "length"],
      ["deep", "b"],
      ["deep", "a", "b"],
    ])
      expect(reasons({ kind: "config", path }, { config })).toEqual(["config-missing"]);
  });

  test.each([null, false, "", 0])("evaluateToolAvailability takes the context value %j for there", (value) => {
    expect(evaluate({ kind: "context", key: "k" }, { values: { k: value } })).toEqual([]);
    expect(evaluate({ kind: "context", key: "k", equals: value }, { values: { k: value } })).toEqual([]);
  });

  test("evaluateToolAvailability compares context values strictly", () => {
    expect(messages({ kind: "context", key: "k" }, { values: {} })).toEqual([
      "Missing context value: k (the program must give it)",
    ]);
    expect(reasons({ kind: "context", key: "k", equals: null }, { values: {} })).toEqual(["context-mismatch"]);
    expect(reasons({ kind: "context", key: "k", equals: 1 }, { values: { k: "1" } })).toEqual(["context-mismatch"]);
    expect(reasons({ kind: "context", key: "k", equals: 0 }, { values: { k: false } })).toEqual(["context-mismatch"]);
  });

  test("evaluateToolAvailability says why a config value that is there does not do", () => {
    const blank = { kind: "config", path: ["blank"], check: "non-empty" };
    expect(messages(blank, { config })).toEqual(["Missing config path: blank (it is empty)"]);
    expect(messages({ ...blank, check: "available" }, { config })).toEqual([
      "Missing config path: blank (its value does not resolve here)",
    ]);
  });

  test("evaluateToolAvailability never puts a configured value into a message", () => {
    const context = { config: { acme: { secret: "s3cret" } }, env: { KEY: "s3cret" }, values: { k: "s3cret" } };
    const all = { allOf: [available, { kind: "env", name: "OTHER" }, { kind: "context", key: "k", equals: "x" }] };
    expect(evaluate(all, context)).toHaveLength(3);
    expect(JSON.stringify(evaluate(all, context))).not.toContain("s3cret");
  });
});

describe("evaluateToolAvailability, where the original goes wrong", () => {
  test("evaluateToolAvailability takes null for an authoring error, not for always", () => {
    expect(reasons(null)).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability refuses mixed shapes, of which half would be ignored", () => {
    for (const mixed of [
      { kind: "always", allOf: [{ kind: "env", name: "KEY" }] },
      { allOf: [{ kind: "always" }], anyOf: [{ kind: "env", name: "KEY" }] },
      { kind: "always", anyOf: [] },
    ])
      expect(reasons(mixed)).toEqual(["unsupported-signal"]);
    expect(messages({ kind: "always", allOf: [] })[0]).toContain("it has kind and allOf; it must have exactly one");
  });

  test("evaluateToolAvailability refuses a member of a group that is no expression", () => {
    for (const member of [null, undefined, 7, "env", [], () => true])
      expect(reasons({ allOf: [{ kind: "always" }, member] })).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability takes a hole in a group for a branch that is not there", () => {
    expect(reasons({ allOf: Array(1) })).toEqual(["unsupported-signal"]);
    expect(reasons({ kind: "config", path: Array(2) })).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability ends on an expression that contains itself", () => {
    const self: { allOf: unknown[] } = { allOf: [{ kind: "always" }] };
    self.allOf.push(self);
    expect(reasons(self)).toEqual(["unsupported-signal"]);
    const [ping, pong] = [{ anyOf: [] as unknown[] }, { allOf: [] as unknown[] }];
    ping.anyOf.push(pong);
    pong.allOf.push(ping);
    expect(messages(ping)).toEqual(["Unsupported availability expression: it contains itself"]);
  });

  test("evaluateToolAvailability takes an expression that stands twice, without a cycle, for what it is", () => {
    const key = { anyOf: [{ kind: "env", name: "KEY" }] };
    expect(evaluate({ allOf: [key, key] }, { env: { KEY: "x" } })).toEqual([]);
  });

  test("evaluateToolAvailability ends on groups that unfold without end, on very long and on very deep ones", () => {
    let doubled: unknown = { kind: "always" };
    for (let level = 0; level < 60; level += 1) doubled = { allOf: [doubled, doubled] };
    let deep: unknown = { kind: "always" };
    for (let level = 0; level < 100_000; level += 1) deep = { anyOf: [deep] };
    for (const huge of [
      doubled,
      deep,
      { allOf: Array(4_000_000_000) },
      { anyOf: Array.from({ length: 2000 }, () => ({ kind: "always" })) },
    ])
      expect(reasons(huge)).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability reads own members only", () => {
    const context: AvailabilityContext = { config: { acme: {} }, env: {}, values: {} };
    for (const path of [["toString"], ["__proto__"], ["__proto__", "constructor"], ["acme", "constructor"]])
      expect(reasons({ kind: "config", path }, context)).toEqual(["config-missing"]);
    for (const key of ["constructor", "__proto__", "toString"]) {
      expect(reasons({ kind: "context", key }, context)).toEqual(["context-mismatch"]);
      expect(reasons({ kind: "env", name: key }, context)).toEqual(["env-missing"]);
    }
    expect(reasons(Object.create({ kind: "always" }))).toEqual(["unsupported-signal"]);
    expect(reasons(Object.assign(Object.create({ providerId: "acme" }), { kind: "auth" }))).toEqual([
      "unsupported-signal",
    ]);
  });

  test("evaluateToolAvailability finds a key of that name where it is really configured", () => {
    const config = JSON.parse('{ "__proto__": { "constructor": 1 } }');
    expect(evaluate({ kind: "config", path: ["__proto__", "constructor"] }, { config })).toEqual([]);
  });

  test("evaluateToolAvailability refuses an empty config path, which would name the whole configuration", () => {
    expect(messages({ kind: "config", path: [] }, { config: { a: 1 } })).toEqual([
      "Malformed config signal: missing path",
    ]);
  });

  test("evaluateToolAvailability refuses a check that it does not know instead of guessing at it", () => {
    const typo = { kind: "config", path: ["a"], check: "availble" };
    expect(messages(typo, { config: { a: secretRef } })).toEqual([
      'Malformed config signal: check "availble" is none of exists, non-empty, available',
    ]);
  });

  test("evaluateToolAvailability never matches NaN, and refuses what no context value can be", () => {
    expect(reasons({ kind: "context", key: "k", equals: Number.NaN }, { values: { k: Number.NaN } })).toEqual([
      "context-mismatch",
    ]);
    for (const equals of [undefined, {}, [], () => 1])
      expect(reasons({ kind: "context", key: "k", equals }, { values: {} })).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability takes a host that throws, or answers later, for no answer", async () => {
    const config = { acme: { secret: secretRef } };
    const answers = [
      () => {
        throw new Error("vault is down");
      },
      () => Promise.reject(new Error("vault is down")),
      () => Promise.resolve(true),
      () => 1,
    ];
    for (const answer of answers) {
      const context = { config, isConfigValueAvailable: answer } as unknown as AvailabilityContext; // answers wrongly
      expect(reasons(available, context)).toEqual(["config-missing"]);
    }
    await new Promise((resolve) => setImmediate(resolve));
  });

  test("evaluateToolAvailability takes members that cannot be read for an authoring error", () => {
    const thrower = {
      get kind(): string {
        throw new Error("no");
      },
    };
    expect(messages(thrower)).toEqual(["Unsupported availability expression: it cannot be evaluated (no)"]);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(reasons({ anyOf: [{ kind: "always" }, proxy] })).toEqual(["unsupported-signal"]);
  });

  test("evaluateToolAvailability clips what an author wrote", () => {
    const [message = ""] = messages({ kind: "auth", providerId: `x\n${"y".repeat(1_000_000)}` });
    expect(message.length).toBeLessThan(300);
    expect(message).not.toContain("\n");
  });

  test("evaluateToolAvailability never throws and always says why, whatever the expression and the context", () => {
    const part = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.anything(),
        fc.record({ kind: fc.constantFrom("always", "auth", "config", "env", "plugin-enabled", "context", "x") }),
        fc.record({ kind: fc.constant("config"), path: fc.array(fc.string()), check: fc.anything() }),
        fc.record({ kind: fc.constant("context"), key: fc.string(), equals: fc.anything() }),
        fc.record({ allOf: fc.array(tie("any"), { maxLength: 3 }) }),
        fc.record({ anyOf: fc.array(tie("any"), { maxLength: 3 }) }),
        fc.record({ kind: fc.anything(), allOf: tie("any"), anyOf: tie("any") }),
      ),
    })).any;
    const context = fc.oneof(
      fc.constant(undefined),
      fc.record({ config: fc.anything(), env: fc.anything(), values: fc.anything() }),
    );
    fc.assert(
      fc.property(part, context, (availability, facts) => {
        const diagnostics = evaluate(availability, facts as AvailabilityContext | undefined); // junk on purpose
        for (const { reason, message } of diagnostics) {
          expect(reason).toMatch(/^[a-z-]+$/);
          expect(message).not.toBe("");
        }
      }),
    );
  });
});
