import { createAgentSession, createToolRegistry, type SessionOptions, ToolmapError } from "toolmap";
import { memoryPorts, scriptedModel } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { makeTool } from "../../support/tools.ts";

/** What a program without types may pass. */
const create = (options: unknown): Promise<unknown> => createAgentSession(options as SessionOptions);

const refusalOf = async (options: unknown): Promise<ToolmapError> => {
  const error: unknown = await create(options).then(
    () => "accepted",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ToolmapError)) throw new Error(`${JSON.stringify(options)}: ${String(error)}`);
  return error;
};

describe("createAgentSession refuses an option, names it and says the way out", () => {
  test.each<readonly [options: unknown, named: string, wayOut: string]>([
    [null, "object of options", "tools"],
    [[], "object of options", "tools"],
    [{ hook: [] }, "hook", 'Did you mean "hooks"'],
    [{ zzz: 1 }, "zzz", "allowedToolNames"],
    [{ id: "" }, "id", "not empty"],
    [{ id: 5 }, "id is 5", "text"],
    [{ resume: "yes" }, "resume", "true or false"],
    [{ resume: true }, "resume", "the journal that the session was written to"],
    [{ tools: {} }, "tools", "a list"],
    [{ sources: "mcp" }, 'sources is "mcp"', "a list"],
    [{ registry: {} }, "registry", "current, refresh, subscribe"],
    [{ model: "gpt" }, 'model is "gpt"', "turn"],
    [{ model: {} }, "model", "turn"],
    [{ systemPrompt: 5 }, "systemPrompt is 5", "text"],
    [{ policy: {} }, "policy", "a list"],
    [{ availability: 5 }, "availability", "an object"],
    [{ hooks: {} }, "hooks", "a list"],
    [{ approver: async () => ({ answer: "approved" }) }, "approver is a function", "ask"],
    [{ caller: "ann" }, "caller", "an object"],
    [{ disableBuiltInTools: "no" }, "disableBuiltInTools", "true or false"],
    [{ allowedToolNames: "read" }, "allowedToolNames", "a list of names"],
    [{ allowedToolNames: [5] }, "allowedToolNames", "a list of names"],
    [{ limits: null }, "limits is null", "an object"],
    [{ limits: { toolMS: 5 } }, "limits.toolMS", "limits.toolMs"],
    [{ limits: { toolMs: "5s" } }, 'limits.toolMs is "5s"', "number"],
    [{ limits: { turns: Number.NaN } }, "limits.turns is NaN", "at least 1"],
    [{ limits: { turns: 0 } }, "limits.turns is 0", "at least 1"],
    [{ limits: { graceMs: -1 } }, "limits.graceMs is -1", "at least 0"],
    [{ defaults: { ask: "sometimes" } }, 'defaults.ask is "sometimes"', '"writes"'],
    [{ defaults: { asks: "always" } }, "defaults.asks", "defaults.ask"],
    [{ ports: { clok: {} } }, "ports.clok", "ports.clock"],
    [{ ports: { clock: {} } }, "ports.clock", "now, after"],
    [{ ports: { journal: [] } }, "ports.journal", "append"],
  ])("%j", async (options, named, wayOut) => {
    const { code, message, fix } = await refusalOf(options);
    expect(code).toBe("bad-option");
    expect(message).toContain(named);
    expect(fix).toContain(wayOut);
  });

  test("a registry beside tools, and both ways to say it, are one mistake", async () => {
    const registry = createToolRegistry();
    for (const more of [{ tools: [] }, { sources: [] }]) {
      const { code, fix } = await refusalOf({ registry, ...more });
      expect([code, fix]).toEqual(["bad-option", expect.stringContaining("createToolRegistry")]);
    }
  });

  test("a value that may be secret or without end is not told", async () => {
    const { message } = await refusalOf({ model: `sk-${"x".repeat(100_000)}` });
    expect(message).toBe("The option model is a text.");
  });

  test("a child's options are checked alike", async () => {
    const parent = await createAgentSession({ tools: [makeTool("t")] });
    const options: object = { limits: { toolMS: 5 } };
    await expect(parent.child(options)).rejects.toMatchObject({ code: "bad-option" });
  });
});

test("createAgentSession takes every option at once, and undefined for one that is left out", async () => {
  const { journal, lock } = memoryPorts();
  const session = await createAgentSession({
    id: "all",
    resume: false,
    ports: { journal, lock },
    tools: [makeTool("t")],
    sources: [],
    model: scriptedModel([{ text: "hello" }]),
    systemPrompt: () => "You are short.",
    policy: [],
    availability: {},
    hooks: [],
    approver: { ask: async () => ({ answer: "approved" }) },
    caller: { id: "ann" },
    app: undefined,
    disableBuiltInTools: false,
    allowedToolNames: ["t"],
    limits: { turns: 1, graceMs: 0, timeMs: 1000, tokens: 10, toolMs: 1, hookMs: 1, approvalMs: 1, keyWaitMs: 1 },
    defaults: { ask: "never" },
  });
  expect((await session.prompt("hi")).text).toBe("hello");
  expect(await create({ tools: undefined, policy: undefined, limits: { toolMs: undefined } })).toBeDefined();
});
