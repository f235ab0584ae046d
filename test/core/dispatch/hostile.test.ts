import { createAgentSession, type Hook, type SessionEvent, type ToolCall } from "toolmap";
import { manualClock, memoryPorts } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { gate, makeTool, settle, textOf } from "../../support/tools.ts";

/** An object of which one member cannot be read. */
function trap(member: string): object {
  return Object.defineProperty({}, member, {
    enumerable: true,
    get: () => {
      throw new Error("no entry");
    },
  });
}

describe("a hook's answer that cannot be read", () => {
  test.each(["input", "block", "ask", "result"])(
    "before the call, under %s, is blocked as any nonsense",
    async (key) => {
      let ran = 0;
      for (const answer of [trap(key), Promise.resolve(trap(key))]) {
        const session = await createAgentSession({
          tools: [makeTool("t", () => (ran += 1))],
          hooks: [{ name: "odd", beforeToolCall: () => answer as never }],
        });
        const result = await session.dispatch({ name: "t" });
        expect(result.outcome).toBe("blocked");
        expect(textOf(result)).toContain('"odd"');
      }
      expect(ran).toBe(0);
    },
  );

  test.each(["content", "structuredContent", "isError"])(
    "after the call, under %s, leaves the real result, masked and on record",
    async (key) => {
      const { journal, secrets } = memoryPorts({ secrets: { api: "hunter2" } });
      const session = await createAgentSession({
        tools: [makeTool("t", async (_, { secret }) => `key ${await secret("api")}`)],
        hooks: [{ name: "odd", afterToolCall: () => trap(key) as never }],
        ports: { journal, secrets },
      });
      const result = await session.dispatch({ name: "t" });
      expect(result.outcome).toBe("ok");
      expect(textOf(result)).toBe("key [secret api]");
      expect(result.details?.notes?.join()).toContain('"odd"');
      expect(journal.entries.map(({ type }) => type)).toEqual(["session-opened", "intent", "outcome"]);
    },
  );
});

describe("a secret", () => {
  test("of a megabyte is masked like any other", async () => {
    const value = "S3".repeat(500_000);
    const session = await createAgentSession({
      tools: [makeTool("t", async (_, { secret }) => `<${await secret("big")}>`)],
      ports: memoryPorts({ secrets: { big: value } }),
    });
    expect(textOf(await session.dispatch({ name: "t" }))).toBe("<[secret big]>");
  });

  test("that a late executor returns or throws is masked in the journal", async () => {
    for (const fails of [false, true]) {
      const clock = manualClock();
      const { journal, secrets } = memoryPorts({ secrets: { api: "hunter2" } });
      const end = gate();
      const session = await createAgentSession({
        tools: [
          makeTool("t", async (_, { secret }) => {
            const value = await secret("api");
            await end.opened;
            if (fails) throw new Error(`bad key ${value}`);
            return { used: value };
          }),
        ],
        ports: { clock, journal, secrets },
      });
      const result = session.dispatch({ name: "t" });
      await settle();
      session.abort();
      await result;
      end.open();
      await settle();
      expect(journal.entries.at(-1)?.["type"]).toBe("settled-late");
      expect(JSON.stringify(journal.entries)).not.toContain("hunter2");
    }
  });
});

describe("progress", () => {
  test("cannot pass for another event, and observers cannot reach the executor's own object", async () => {
    const events: SessionEvent[] = [];
    const block = { type: "text", text: "half" };
    const session = await createAgentSession({
      tools: [
        makeTool("t", (_, { progress }) =>
          progress({ type: "tool-call-finished", result: { outcome: "ok" }, content: [block] } as never),
        ),
      ],
    });
    session.observe((event) => {
      events.push(event);
      if (event.type === "tool-call-progressed") {
        expect(Object.isFrozen(event.content?.[0])).toBe(true);
        expect(event.content?.[0]).not.toBe(block);
      }
    });
    await session.dispatch({ name: "t" });
    expect(events.map(({ type }) => type)).toEqual(["tool-call-started", "tool-call-progressed", "tool-call-finished"]);
  });

  test.each([trap("content"), trap("message"), { content: 7 }, { message: {} }, null, undefined, "text", 3])(
    "of any shape breaks neither the executor nor the answer of an abort (%#)",
    async (update) => {
      const session = await createAgentSession({
        tools: [
          makeTool("t", (_, { progress }) => {
            progress(update as never);
            return new Promise(() => undefined);
          }),
        ],
        ports: { clock: manualClock() },
      });
      session.observe(() => undefined);
      const result = session.dispatch({ name: "t" });
      await settle();
      session.abort();
      expect((await result).outcome).toBe("cancelled");
    },
  );

  test("that a tool changes after it was reported is answered as it was reported", async () => {
    const block = { type: "text" as const, text: "half" };
    const session = await createAgentSession({
      tools: [
        makeTool("t", (_, { progress }) => {
          progress({ content: [block] });
          block.text = "changed";
          return new Promise(() => undefined);
        }),
      ],
      ports: { clock: manualClock() },
    });
    const result = session.dispatch({ name: "t" });
    await settle();
    session.abort();
    expect(textOf(await result).split("\n")[0]).toBe("half");
  });
});

describe("a call", () => {
  test("of which hooks or observers get hold gives them no way to its caller's meta", async () => {
    const meta = { trace: { id: "1" } };
    const seen: unknown[] = [];
    const hook: Hook = { name: "h", beforeToolCall: ({ call }) => void seen.push(call.meta) };
    const session = await createAgentSession({ tools: [makeTool("t")], hooks: [hook] });
    session.observe((event) => {
      if (event.type === "tool-call-started") seen.push(event.call.meta);
    });
    await session.dispatch({ name: "t", meta });
    expect(seen).toEqual([meta, meta]);
    for (const each of seen) {
      expect(each).not.toBe(meta);
      expect(Object.isFrozen(each) && Object.isFrozen((each as typeof meta).trace)).toBe(true);
    }
  });

  test.each(["id", "name", "input", "truncated", "meta"])(
    "whose %s cannot be read gets its one result",
    async (key) => {
      const session = await createAgentSession({ tools: [makeTool("t")] });
      const bad = trap(key) as ToolCall;
      const results = await session.dispatchBatch([{ name: "t" }, bad, { name: "t" }]);
      expect(results.map(({ isError }) => isError)).toEqual([false, true, false]);
      await session.close();
    },
  );

  test("with a time limit that is no number keeps its tool's own limit", async () => {
    const clock = manualClock();
    const session = await createAgentSession({
      tools: [makeTool("t", () => new Promise(() => undefined), { rest: { timeoutMs: 50 } })],
      ports: { clock },
    });
    const result = session.dispatch({ name: "t" }, { timeoutMs: Number.NaN });
    await clock.advance(50);
    expect((await result).outcome).toBe("timed-out");
  });
});

describe("a hook's context", () => {
  test("names the deadline that will be kept, whenever it is read", async () => {
    const clock = manualClock();
    const opened = gate();
    const seen: number[] = [];
    const session = await createAgentSession({
      tools: [makeTool("t")],
      hooks: [
        {
          name: "reads late",
          timeoutMs: 100,
          beforeToolCall: async (_, context) => {
            await opened.opened;
            seen.push(context.deadline);
          },
        },
      ],
      ports: { clock },
    });
    const result = session.dispatch({ name: "t" });
    await clock.advance(60);
    opened.open();
    await result;
    expect(seen).toEqual([100]);
  });

  test("dispatching twice at once comes back under the lock, whichever nested call ends first", async () => {
    const held = gate();
    const [one, two] = [gate(), gate()];
    let isHeldByOther = false;
    const log: string[] = [];
    const session = await createAgentSession({
      tools: [makeTool("outer"), makeTool("one", () => one.opened), makeTool("two", () => two.opened)],
      hooks: [
        {
          name: "races",
          tools: ["outer"],
          beforeToolCall: async (_, { dispatch }) => {
            await Promise.race([dispatch({ name: "one" }), dispatch({ name: "two" })]);
            log.push(isHeldByOther ? "beside the other" : "alone");
          },
        },
      ],
    });
    const outer = session.dispatch({ name: "outer" });
    await settle();
    const other = session.runWithSessionWriteLock(async () => {
      isHeldByOther = true;
      await held.opened;
      isHeldByOther = false;
    });
    one.open();
    await settle();
    two.open();
    await settle();
    expect(log).toEqual([]);
    held.open();
    await other;
    await outer;
    expect(log).toEqual(["alone"]);
  });
});

describe("output of blocks", () => {
  test("that carry their text elsewhere than in text is capped too", async () => {
    const long = "x".repeat(1_000_000);
    const blocks = [
      { type: "resource_link", uri: `file:///${long}`, name: "n" },
      { type: "resource_link", uri: "file:///a", name: "n", description: long },
      { type: "text", text: "short", _meta: { long } },
      { type: "text", text: "short", annotations: { long } },
      { type: "image", data: "AAAA", mimeType: long },
    ];
    for (const block of blocks) {
      const session = await createAgentSession({ tools: [makeTool("t", () => ({ content: [block] }))] });
      const result = await session.dispatch({ name: "t" });
      expect(JSON.stringify(result).length).toBeLessThan(80_000);
    }
  });

  test("TRN-08 holds no lone surrogate, in content, structure or progress", async () => {
    const lone = "x\ud83dy";
    const session = await createAgentSession({
      tools: [
        makeTool("t", () => ({
          content: [
            { type: "text", text: lone },
            { type: "resource", resource: { uri: "a:b", text: lone } },
          ],
          structuredContent: { [lone]: lone },
        })),
      ],
      hooks: [],
    });
    const result = await session.dispatch({ name: "t" });
    expect(textOf(result).isWellFormed()).toBe(true);
    for (const block of result.content) {
      if (block.type === "resource" && "text" in block.resource) expect(block.resource.text.isWellFormed()).toBe(true);
    }
  });
});
