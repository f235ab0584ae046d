import * as fc from "fast-check";
import {
  type AgentSession,
  type AgentTool,
  type Caller,
  createAgentSession,
  createToolRegistry,
  type Explanation,
  type Hook,
  type JsonObject,
  type PolicyLayer,
  type SessionOptions,
  type ToolOwnerRef,
  type ToolResult,
} from "toolmap";
import { expect, test } from "vitest";
import { entranceOf } from "../../src/core/session/entrance.ts";
import { fakeSource, makeTool } from "../support/tools.ts";

const OWNERS: Readonly<Record<string, ToolOwnerRef>> = {
  read_it: { kind: "core" },
  deploy: { kind: "plugin", pluginId: "acme" },
  mail_send: { kind: "channel", channelId: "mail" },
  srv__query: { kind: "mcp", serverId: "srv" },
  own: { kind: "custom" },
};
const NAMES = Object.keys(OWNERS);
const ENTRIES = [
  ...["read_it", "deploy", "mail_send", "own", "*_*", "*", "o*"],
  ...["group:core", "group:plugins", "group:channels", "group:mcp", "group:custom"],
  ...["plugin:acme", "channel:mail/*", "mcp:srv", "mcp:srv/srv__query", "mcp:s*/*"],
];

type Behaviour = (typeof BEHAVIOURS)[number];
const BEHAVIOURS = ["nothing", "block", "ask", "rewrite", "rewrite badly", "replace", "throw", "nonsense"] as const;

interface Configuration {
  readonly tools: readonly { readonly name: string; readonly availability: string; readonly hints: number }[];
  readonly layers: readonly PolicyLayer[];
  readonly ask: "never" | "writes" | "always";
  readonly hooks: readonly { readonly behaviour: Behaviour; readonly isLate: boolean; readonly tools?: string[] }[];
  readonly active: readonly string[] | undefined;
  readonly approver: "none" | "approves" | "rejects";
  readonly down: readonly string[];
  readonly disableBuiltInTools: boolean;
  readonly allowedToolNames: readonly string[] | undefined;
}

const entries = fc.uniqueArray(fc.constantFrom(...ENTRIES), { maxLength: 3 });
const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq = 2): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq });

const layer: fc.Arbitrary<PolicyLayer> = fc
  .record({
    profile: maybe(fc.constantFrom("readonly", "coding", "full")),
    alsoAllow: maybe(entries),
    allow: maybe(entries),
    deny: maybe(fc.uniqueArray(fc.constantFrom(...ENTRIES), { maxLength: 2 })),
    denySelf: maybe(fc.uniqueArray(fc.constantFrom(...ENTRIES), { maxLength: 1 })),
    ask: maybe(entries),
    approve: maybe(entries),
  })
  .map(({ alsoAllow, ...lists }) => {
    const all = { name: "", ...lists, ...(lists.profile === undefined ? {} : { alsoAllow }) };
    // Members that are undefined are left out, as an author would.
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as PolicyLayer;
  });

const configuration: fc.Arbitrary<Configuration> = fc.record({
  tools: fc.tuple(
    ...NAMES.map((name) =>
      fc.record({
        name: fc.constant(name),
        availability: fc.constantFrom("none", "none", "met", "unmet", "unmet twice", "one of two"),
        hints: fc.nat({ max: 3 }),
      }),
    ),
  ),
  layers: fc
    .array(layer, { maxLength: 3 })
    .map((layers) => layers.map((each, at) => ({ ...each, name: `layer ${at}` }))),
  ask: fc.constantFrom("never", "writes", "always"),
  hooks: fc.array(
    fc
      .record({ behaviour: fc.constantFrom(...BEHAVIOURS), isLate: fc.boolean(), tools: maybe(entries) })
      .map(({ tools, ...hook }) => (tools === undefined ? hook : { ...hook, tools })),
    { maxLength: 3 },
  ),
  active: maybe(fc.subarray(NAMES), 5),
  approver: fc.constantFrom("none", "approves", "rejects"),
  down: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.subarray(NAMES) }),
  disableBuiltInTools: fc.oneof(
    { weight: 5, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  allowedToolNames: maybe(fc.subarray(NAMES), 6),
});

const AVAILABILITY: Readonly<Record<string, AgentTool["descriptor"]["availability"]>> = {
  met: { kind: "env", name: "THERE" },
  unmet: { kind: "env", name: "FIRST" },
  "unmet twice": {
    allOf: [
      { kind: "env", name: "FIRST" },
      { kind: "env", name: "SECOND" },
    ],
  },
  "one of two": {
    anyOf: [
      { kind: "env", name: "SECOND" },
      { kind: "env", name: "THERE" },
    ],
  },
};

const SCHEMA: JsonObject = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };

/** A session over a registry of one source a tool, and what its parts were made to do. */
async function build(
  config: Configuration,
  env: Readonly<Record<string, string>> = { THERE: "1" },
): Promise<{ readonly session: AgentSession; readonly log: string[]; close(): Promise<unknown> }> {
  const log: string[] = [];
  const sources = config.tools.map(({ name, availability, hints }) => {
    const owner = OWNERS[name] ?? { kind: "custom" };
    const tool = makeTool(name, () => void log.push(`execute ${name}`), {
      owner,
      schema: SCHEMA,
      annotations: { readOnlyHint: (hints & 1) > 0, destructiveHint: (hints & 2) > 0 },
      descriptor: { availability: AVAILABILITY[availability] },
    });
    return fakeSource(`source of ${name}`, owner.kind, {
      tools: [tool],
      state: config.down.includes(name) ? "down" : "ready",
    });
  });
  // Shared, so that the gates are the session's and the registry holds everything.
  const registry = createToolRegistry({ sources });
  const options: SessionOptions = {
    registry,
    policy: config.layers,
    availability: { env },
    defaults: { ask: config.ask },
    hooks: config.hooks.map((hook, at) => makeHook(hook, { name: `hook ${at}`, log })),
    disableBuiltInTools: config.disableBuiltInTools,
    ...(config.allowedToolNames === undefined ? {} : { allowedToolNames: config.allowedToolNames }),
    ...(config.approver === "none"
      ? {}
      : {
          approver: {
            ask: async () => {
              log.push("approver");
              return { answer: config.approver === "approves" ? "approved" : "rejected" };
            },
          },
        }),
  };
  const session = await createAgentSession(options);
  if (config.active) session.setActiveToolsByName(config.active);
  session.observe(({ type }) => void log.push(`event ${type}`));
  return { session, log, close: () => session.close() };
}

function makeHook(
  { behaviour, isLate, tools }: Configuration["hooks"][number],
  { name, log }: { readonly name: string; readonly log: string[] },
): Hook {
  const answer = (): unknown => {
    log.push(name);
    switch (behaviour) {
      case "nothing":
        return undefined;
      case "block":
        return { block: "no" };
      case "ask":
        return { ask: "sure?" };
      case "rewrite":
        return { input: { n: 2 } };
      case "rewrite badly":
        return { input: { n: "many" } };
      case "replace":
        return { result: "instead" };
      case "throw":
        throw new Error("broken");
      case "nonsense":
        return { input: { n: 1 }, block: "both" };
    }
  };
  // A hook may say anything; what it may not say is what is tested.
  const beforeToolCall = (isLate ? async () => answer() : answer) as NonNullable<Hook["beforeToolCall"]>;
  return { name, beforeToolCall, ...(tools === undefined ? {} : { tools }) };
}

const dispatchAs = (
  session: AgentSession,
  kind: Caller["kind"],
  call: { readonly name: string; readonly input: unknown },
): Promise<ToolResult> => entranceOf(session).dispatch(call, { caller: { kind } });

/** What explain and the behaviour of the hooks that it named say of the dispatch. Knows nothing else of the session. */
function foretell(
  { verdict, trace }: Explanation,
  { hooks, approver, kind }: { hooks: Configuration["hooks"]; approver: Configuration["approver"]; kind: string },
): string {
  if (verdict === "deny") return "refused";
  let mustAsk = verdict === "ask";
  for (const { stage, message } of trace) {
    if (stage !== "hook") continue;
    const named = /hook "hook (\d)"/.exec(message)?.[1];
    switch (hooks[Number(named)]?.behaviour) {
      case "block":
      case "throw":
      case "nonsense":
        return "blocked";
      case "rewrite badly":
        return "invalid-input";
      case "ask":
        mustAsk ||= kind !== "person";
        break;
      default:
        break;
    }
  }
  return mustAsk && approver !== "approves" ? "rejected" : "ok";
}

const kinds = fc.constantFrom<Caller["kind"]>("model", "program", "person");
const names = fc.constantFrom(...NAMES, "Read-It", "nothing_like_it", "__proto__", "");
const inputs = fc.constantFrom<JsonObject | undefined>(undefined, { n: 1 }, { n: "1" }, { n: "x" }, {});

test("explain foretells dispatch: the same decision, or a stricter one by a hook that it named", async () => {
  await fc.assert(
    fc.asyncProperty(configuration, names, inputs, kinds, async (config, name, input, kind) => {
      const { session, log, close } = await build(config);
      const explained = await session.explain(name, input, { as: kind });
      expect(log).toEqual([]);
      const result = await dispatchAs(session, kind, { name, input: input ?? { n: 1 } });
      const foretold = foretell(explained, { ...config, kind });
      if (foretold === "refused") {
        expect(["denied", "unavailable", "invalid-input", "unknown-tool"]).toContain(result.outcome);
        expect(log.filter((line) => !line.startsWith("event"))).toEqual([]);
      } else {
        expect(result.outcome).toBe(foretold);
        if (explained.verdict === "ask" && foretold === "ok") expect(log).toContain("approver");
      }
      expect(result.name).toBe(explained.name);
      await close();
    }),
    { numRuns: 600 },
  );
});

test("explain tells the outcome of a refusal by its last stage", async () => {
  const outcomeOf = ({ trace }: Explanation): readonly string[] => {
    if (trace.some(({ stage, verdict }) => stage === "policy" && verdict === "deny")) return ["denied"];
    const last = trace.at(-1);
    switch (last?.stage) {
      case "look-up":
        return ["unknown-tool"];
      case "availability":
      case "gate":
        return ["unavailable"];
      case "check":
        return ["invalid-input"];
      default:
        return [`no refusal ends at ${last?.stage}`];
    }
  };
  await fc.assert(
    fc.asyncProperty(configuration, names, inputs, kinds, async (config, name, input, kind) => {
      const { session, close } = await build(config);
      const explained = await session.explain(name, input, { as: kind });
      const { outcome } = await dispatchAs(session, kind, { name, input: input ?? { n: 1 } });
      if (explained.verdict === "deny") expect(outcomeOf(explained)).toContain(outcome);
      expect(explained.trace.some(({ verdict }) => verdict === "deny" || verdict === "hide")).toBe(
        explained.verdict === "deny",
      );
      await close();
    }),
    { numRuns: 300 },
  );
});

test("explain runs nothing, tells nobody, and leaves nothing open, also beside a call that runs", async () => {
  await fc.assert(
    fc.asyncProperty(
      configuration,
      fc.array(fc.tuple(names, inputs, kinds), { maxLength: 8 }),
      async (config, asked) => {
        const { session, log, close } = await build(config);
        const before = session.plan();
        await Promise.all(asked.map(([name, input, as]) => session.explain(name, input, { as })));
        expect(log).toEqual([]);
        expect(session.plan()).toBe(before);
        // Waits for every open call.
        expect(await close()).toEqual({ late: [] });
      },
    ),
    { numRuns: 150 },
  );
});

test("explain says of visible and active what plan and turn say", async () => {
  await fc.assert(
    fc.asyncProperty(configuration, kinds, async (config, as) => {
      const { session, close } = await build(config);
      const visible = session.plan().visible.map(({ descriptor }) => descriptor.name);
      const sent = session.beginTurn().tools.map(({ name }) => name);
      const explained = await Promise.all(NAMES.map((name) => session.explain(name, undefined, { as })));
      expect(
        explained
          .filter((each) => each.visible)
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...visible].sort());
      expect(
        explained
          .filter((each) => each.active)
          .map(({ name }) => name)
          .sort(),
      ).toEqual([...sent].sort());
      expect(sent).toEqual(session.getActiveToolNames());
      await close();
    }),
    { numRuns: 200 },
  );
});

test("explain of a name that nothing has ends at look-up and is a deny", async () => {
  const unknown = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "x".repeat(10_000)));
  await fc.assert(
    fc.asyncProperty(configuration, unknown, kinds, async (config, name, as) => {
      fc.pre(!NAMES.some((each) => each.replaceAll("_", "-") === name.toLowerCase().replaceAll("_", "-")));
      const { session, close } = await build(config);
      const explained = await session.explain(name, { n: 1 }, { as });
      expect(explained).toMatchObject({ verdict: "deny", visible: false, active: false });
      expect(explained.trace.at(-1)).toMatchObject({ stage: "look-up", verdict: "deny" });
      expect(JSON.stringify(explained).length).toBeLessThan(3000);
      await close();
    }),
    { numRuns: 150 },
  );
});

test("explain's fix, applied as it is written, flips the answer", async () => {
  let fixes = 0;
  await fc.assert(
    fc.asyncProperty(configuration, fc.constantFrom(...NAMES), kinds, async (config, name, as) => {
      fc.pre(!config.down.includes(name));
      const first = await build(config);
      const before = await first.session.explain(name, { n: 1 }, { as });
      await first.close();
      expect(before.fix === undefined).toBe(before.verdict === "allow");
      if (before.fix === undefined) return;
      fixes += 1;
      const { config: mended, env } = applyFix(config, before.fix);
      const second = await build(mended, env);
      const after = await second.session.explain(name, { n: 1 }, { as });
      await second.close();
      if (before.trace[0]?.stage === "gate") {
        // What lies behind the gate has its own reasons, and its own fix.
        expect(after.trace[0]?.stage).toBe("look-up");
        return;
      }
      expect(after.verdict, `${before.verdict}; ${before.fix}`).not.toBe(before.verdict);
      if (before.verdict === "ask") expect(after.verdict).toBe("allow");
    }),
    { numRuns: 400 },
  );
  expect(fixes).toBeGreaterThan(50);
});

/** Does what a fix says, by the words that a person would read. */
function applyFix(
  config: Configuration,
  fix: string,
): { readonly config: Configuration; readonly env: Readonly<Record<string, string>> } {
  let { layers, active, allowedToolNames, disableBuiltInTools } = config;
  const env: Record<string, string> = { THERE: "1" };
  const change = (name: string, list: string, next: (entries: readonly string[]) => readonly string[]): void => {
    layers = layers.map((each) =>
      each.name === name
        ? { ...each, [list]: next((each as unknown as Record<string, string[] | undefined>)[list] ?? []) }
        : each,
    );
  };
  for (const part of fix.split(/; | and /)) {
    const [, variable] = /^Missing environment value: set (\w+)$/.exec(part) ?? [];
    const [, removed, from, ofLayer] = /^remove "([^"]+)" from (\w+) of layer "([^"]+)"$/.exec(part) ?? [];
    const [, added, to, toLayer] = /^add "([^"]+)" to (\w+) of layer "([^"]+)"$/.exec(part) ?? [];
    const [, approved] = /^add "([^"]+)" to approve of a layer$/.exec(part) ?? [];
    const [, activated] = /^add "([^"]+)" to the active tools$/.exec(part) ?? [];
    const [, allowed] = /^add "([^"]+)" to the session's allowedToolNames$/.exec(part) ?? [];
    if (variable !== undefined) env[variable] = "1";
    else if (removed !== undefined)
      change(ofLayer ?? "", from ?? "", (list) => list.filter((each) => each !== removed));
    else if (added !== undefined) change(toLayer ?? "", to ?? "", (list) => [...list, added]);
    else if (approved !== undefined) layers = [...layers, { name: "fix", approve: [approved] }];
    else if (activated !== undefined) active = [...(active ?? []), activated];
    else if (allowed !== undefined) allowedToolNames = [...(allowedToolNames ?? []), allowed];
    else if (part === "create the session without disableBuiltInTools") disableBuiltInTools = false;
    else throw new Error(`nobody could do this: ${part}`);
  }
  return { config: { ...config, layers, active, allowedToolNames, disableBuiltInTools }, env };
}
