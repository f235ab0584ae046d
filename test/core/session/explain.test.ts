import { type AgentSession, createAgentSession, type PolicyLayer, type ToolCall } from "toolmap";
import { describe, expect, test } from "vitest";
import { fakeSource, makeTool, settle, textOf } from "../../support/tools.ts";

const codesOf = (session: AgentSession): readonly string[] => session.plan().warnings.map(({ code }) => code);

describe("what a policy hides says so", () => {
  test("POL-11 an allow with a typo goes dark with a name for it, and the session still answers", async () => {
    const session = await createAgentSession({
      tools: [makeTool("search"), makeTool("own")],
      policy: [{ name: "team", allow: ["serch"] }],
    });
    expect(session.plan().warnings).toMatchObject([
      { code: "policy-unknown-entry", message: expect.stringContaining('Layer "team", allow') as unknown },
      { code: "no-tool-visible", message: expect.stringContaining('"team"') as unknown },
    ]);
    expect(session.plan().warnings[0]?.fix).toContain("search");
    expect(session.beginTurn().tools).toEqual([]);
    expect((await session.dispatch({ name: "search" })).outcome).toBe("denied");
  });

  test("POL-12 what is merely not available, not enabled or not there yet is not called unknown; a typo is", async () => {
    const session = await createAgentSession({
      sources: [
        fakeSource("core", "core", {
          tools: [
            makeTool("web_search", undefined, {
              owner: { kind: "core" },
              descriptor: { availability: { kind: "auth", providerId: "brave" } },
            }),
          ],
          state: "ready",
        }),
        fakeSource("acme", "plugin", {
          tools: [
            makeTool("deploy", undefined, {
              owner: { kind: "plugin", pluginId: "acme" },
              descriptor: { availability: { kind: "plugin-enabled", pluginId: "acme" } },
            }),
          ],
          state: "ready",
        }),
        fakeSource("github", "mcp", { tools: [], state: "starting" }),
      ],
      policy: [{ name: "p", allow: ["web_search", "deploy", "mcp:github/create_issue", "web_serch"] }],
    });
    const plan = session.plan();
    expect(plan.hidden.map(({ descriptor, diagnostics }) => [descriptor.name, diagnostics[0]?.reason])).toEqual([
      ["deploy", "plugin-disabled"],
      ["web_search", "auth-missing"],
    ]);
    const said = (code: string): readonly string[] =>
      plan.warnings.filter((warning) => warning.code === code).map(({ message }) => message);
    expect(said("policy-waiting")).toEqual([expect.stringContaining("mcp:github/create_issue")]);
    expect(said("policy-unknown-entry")).toEqual([expect.stringContaining("web_serch")]);
  });

  test("POL-14 a profile that hides a healthy tool is named with its place and the smallest change, which shows it", async () => {
    const layer: PolicyLayer = { name: "agent", profile: "minimal" };
    const options = { tools: [makeTool("shell"), makeTool("read")] };
    const session = await createAgentSession({
      ...options,
      policy: [layer],
      ports: { places: { placeOf: (name, list) => `toolmap.jsonc:${name}.${list}` } },
    });
    const explained = await session.explain("shell");
    expect(explained).toMatchObject({ visible: false, verdict: "deny", origin: "custom" });
    expect(explained.trace.at(-1)).toMatchObject({
      stage: "policy",
      verdict: "deny",
      rule: "profile minimal",
      source: "toolmap.jsonc:agent.profile",
    });
    expect(explained.fix).toBe('add "shell" to alsoAllow of layer "agent" (toolmap.jsonc:agent.profile)');
    const wider = await createAgentSession({ ...options, policy: [{ ...layer, alsoAllow: ["shell"] }] });
    expect(await wider.explain("shell")).toMatchObject({ visible: true, verdict: "allow" });
  });

  test("POL-22 what a plan hides is refused by name at every door", async () => {
    const ran: string[] = [];
    const session = await createAgentSession({
      tools: [
        makeTool("exec", () => void ran.push("ran")),
        makeTool("outer", (_, { dispatch }) => dispatch({ name: "Exec" })),
      ],
      policy: [{ name: "agent", allow: ["outer"] }],
    });
    const call = { name: "exec" };
    const results = [
      await session.dispatch(call),
      ...(await session.dispatchBatch([call])),
      ...(await session.beginTurn().dispatch([call])),
      await session.tools.get("exec")?.execute({}),
      await session.dispatch({ name: "outer" }),
      await (await session.child()).dispatch(call),
    ];
    expect(results.map((result) => result?.outcome)).toEqual(Array.from({ length: 6 }, () => "denied"));
    expect(await session.prepare(call)).toMatchObject({ verdict: "deny", result: { outcome: "denied" } });
    expect(session.plan().visible.map(({ descriptor }) => descriptor.name)).toEqual(["outer"]);
    expect(ran).toEqual([]);
  });

  test("HOK-04 a hook for a name that nothing has is warned about, one for a server to come waits and becomes live", async () => {
    const source = fakeSource("github", "mcp", { tools: [], state: "starting" });
    const fired: string[] = [];
    const hook = (name: string, tools: string[]) => ({ name, tools, beforeToolCall: () => void fired.push(name) });
    const session = await createAgentSession({
      tools: [makeTool("bash")],
      sources: [source],
      hooks: [hook("typo", ["bahs"]), hook("early", ["mcp:github/push"]), hook("fine", ["bash"])],
      defaults: { ask: "never" },
    });
    expect(session.plan().warnings).toMatchObject([
      {
        code: "policy-unknown-entry",
        message: expect.stringContaining('"typo"') as unknown,
        fix: expect.stringContaining("bash") as unknown,
      },
      { code: "policy-waiting", message: expect.stringContaining('"early"') as unknown },
    ]);
    source.set({
      tools: [
        makeTool("github__push", undefined, {
          owner: { kind: "mcp", serverId: "github" },
          descriptor: { executor: { kind: "mcp", serverId: "github", toolName: "push" } },
        }),
      ],
      state: "ready",
    });
    await settle();
    expect(codesOf(session)).toEqual(["policy-unknown-entry"]);
    await session.dispatch({ name: "github__push" });
    await session.dispatch({ name: "bash" });
    expect(fired).toEqual(["early", "fine"]);
    expect((await session.explain("github__push")).trace.filter(({ stage }) => stage === "hook")).toHaveLength(1);
  });
});

test("a typo in a deny stops the start although a server is still starting: no server can bring a name", async () => {
  const create = (deny: string, kind: "mcp" | "plugin"): Promise<AgentSession> =>
    createAgentSession({
      tools: [makeTool("write")],
      sources: [fakeSource("github", kind, { tools: [], state: "starting" })],
      policy: [{ name: "p", deny: [deny] }],
    });
  for (const deny of ["wriet", "plugin:github", "mcp:gitlab"]) {
    await expect(create(deny, "mcp")).rejects.toMatchObject({ code: "bad-policy" });
  }
  await expect(create("mcp:github", "plugin")).rejects.toMatchObject({ code: "bad-policy" });
  expect(codesOf(await create("mcp:github/push", "mcp"))).toEqual(["policy-waiting"]);
  expect(codesOf(await create("plugin:github", "plugin"))).toEqual(["policy-waiting"]);
  expect(codesOf(await create("deploy", "plugin"))).toEqual(["policy-waiting"]);
});

describe("explain of a session that is not well", () => {
  test("a session whose journal failed is told, for what is not read-only", async () => {
    const session = await createAgentSession({
      tools: [makeTool("t"), makeTool("r", undefined, { annotations: { readOnlyHint: true } })],
      ports: {
        journal: {
          append: ({ type }) => (type === "outcome" ? Promise.reject(new Error("disk full")) : Promise.resolve()),
        },
      },
    });
    expect((await session.dispatch({ name: "t" })).outcome).toBe("ok");
    const explained = await session.explain("t");
    expect(explained.trace.at(-1)).toMatchObject({ stage: "gate", verdict: "deny" });
    expect(explained.trace.at(-1)?.message).toContain("disk full");
    expect((await session.dispatch({ name: "t" })).outcome).toBe("unavailable");
    expect((await session.explain("r")).verdict).toBe("allow");
  });

  test("a closed session and a source that is down are each told, as dispatch tells them", async () => {
    const tool = makeTool("t");
    const source = fakeSource("s", "custom", { tools: [tool], state: "ready" });
    const session = await createAgentSession({ sources: [source] });
    expect((await session.explain("t")).verdict).toBe("allow");
    source.set({ tools: [tool], state: "down", message: "no route" });
    await settle();
    expect(await session.explain("t")).toMatchObject({ visible: true, active: true, verdict: "deny" });
    expect((await session.explain("t")).trace.at(-1)?.message).toContain("no route");
    await session.close();
    const closed = await session.explain("t");
    expect(closed.trace).toMatchObject([{ stage: "receive", verdict: "deny" }]);
    expect(textOf(await session.dispatch({ name: "t" }))).toContain("session closed");
  });

  test("an author's validation that fails is a deny with its own stage, and one that is awaited ends with an abort", async () => {
    const { defineTool } = await import("toolmap");
    const { z } = await import("zod");
    const session = await createAgentSession({
      tools: [
        defineTool({
          name: "even",
          description: "Even.",
          input: z.object({ n: z.number().refine((n) => n % 2 === 0, "must be even") }),
          execute: () => "ok",
        }),
        defineTool({
          name: "slow",
          description: "Slow.",
          input: z.object({ n: z.number().refine(() => new Promise<boolean>(() => undefined)) }),
          execute: () => "ok",
        }),
      ],
    });
    expect((await session.explain("even", { n: 1 })).trace.at(-1)).toMatchObject({
      stage: "validate",
      verdict: "deny",
    });
    expect((await session.explain("even", { n: 2 })).verdict).toBe("allow");
    const slow = session.explain("slow", { n: 1 });
    await settle();
    await session.close();
    expect((await slow).verdict).toBe("deny");
  });
});

describe("a call that is none", () => {
  test.each([null, undefined, "t", 7, []])(
    "%j is answered like any other call and leaves nothing open",
    async (given) => {
      const session = await createAgentSession({ tools: [makeTool("t")] });
      // What a program without types may pass.
      const call = given as unknown as ToolCall;
      expect((await session.dispatch(call)).outcome).toBe("unknown-tool");
      expect(await session.prepare(call)).toMatchObject({ verdict: "settled", result: { outcome: "unknown-tool" } });
      for (const results of [
        await session.dispatchBatch([{ name: "t" }, call]),
        await session.beginTurn().dispatch([{ name: "t" }, call]),
      ]) {
        expect(results.map(({ outcome }) => outcome)).toEqual(["ok", "unknown-tool"]);
      }
      expect(await session.close()).toEqual({ late: [] });
    },
  );
});
