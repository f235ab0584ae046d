import { type ApprovalRequest, createAgentSession, type Prepared, type SessionOptions } from "toolmap";
import { describe, expect, test } from "vitest";
import { gate, makeTool, settle } from "../../support/tools.ts";

const paying = (
  ran: unknown[],
  more: Partial<SessionOptions> = {},
): Promise<Awaited<ReturnType<typeof createAgentSession>>> =>
  createAgentSession({
    id: "shop",
    tools: ["pay", "refund"].map((name) =>
      makeTool(
        name,
        (input) => {
          ran.push([name, input]);
          return "done";
        },
        { schema: { type: "object", properties: { sum: { type: "number" } } } },
      ),
    ),
    policy: [{ name: "p", ask: ["pay", "refund"] }],
    ...more,
  });

/** As if it had travelled: JSON and nothing else. */
const travel = (prepared: Prepared): Prepared => JSON.parse(JSON.stringify(prepared)) as Prepared;

describe("two phases", () => {
  test("a prepared call runs in a later process of the same session, hooks once over both", async () => {
    const ran: unknown[] = [];
    let hooked = 0;
    const hooks = [
      {
        name: "h",
        beforeToolCall: () => {
          hooked += 1;
          return { input: { sum: 11 } };
        },
      },
    ];
    const first = await paying(ran, { hooks });
    const prepared = await first.prepare({ id: "c1", name: "pay", input: { sum: 10 } });
    expect(prepared).toMatchObject({ verdict: "ask", callId: "c1", input: { sum: 11 } });
    await first.close();
    const second = await paying(ran, { hooks });
    const result = await second.dispatch(
      { id: "c1", name: "pay", input: { sum: 10 } },
      { approval: { answer: "approved", prepared: travel(prepared) } },
    );
    expect(result).toMatchObject({ outcome: "ok", details: { approval: "person" } });
    expect([ran, hooked]).toEqual([[["pay", { sum: 11 }]], 1]);
  });

  test("APR-03 an approval is not consumed by other arguments or another tool, is by another id, and once only", async () => {
    const ran: unknown[] = [];
    const session = await paying(ran);
    const prepared = await session.prepare({ name: "pay", input: { sum: 10 } });
    const approval = { answer: "approved", prepared } as const;
    for (const call of [
      { name: "pay", input: { sum: 99 } },
      { name: "refund", input: { sum: 10 } },
    ]) {
      expect(await session.dispatch(call, { approval })).toMatchObject({
        outcome: "rejected",
        details: { approval: "mismatch" },
      });
    }
    expect(ran).toEqual([]);
    expect((await session.dispatch({ id: "new", name: "pay", input: { sum: 10 } }, { approval })).outcome).toBe("ok");
    expect(await session.dispatch({ name: "pay", input: { sum: 10 } }, { approval })).toMatchObject({
      outcome: "rejected",
    });
    expect(ran).toEqual([["pay", { sum: 10 }]]);
  });

  test("an approval of another session, of a changed definition, or past its expiry does not fit", async () => {
    const ran: unknown[] = [];
    const prepared = await (await paying(ran)).prepare({ name: "pay", input: { sum: 1 } });
    const approval = { answer: "approved", prepared } as const;
    const call = { name: "pay", input: { sum: 1 } };
    expect((await (await paying(ran, { id: "other" })).dispatch(call, { approval })).outcome).toBe("rejected");
    const changed = await paying(ran, {
      tools: [
        makeTool("pay", undefined, {
          description: "changed",
          schema: { type: "object", properties: { sum: { type: "number" } } },
        }),
      ],
      policy: [{ name: "p", ask: ["pay"] }],
    });
    expect((await changed.dispatch(call, { approval })).outcome).toBe("rejected");
    const later = await paying(ran, {
      ports: { clock: { now: () => Date.now() + 3_600_000, after: () => () => undefined } },
    });
    expect(await later.dispatch(call, { approval })).toMatchObject({
      outcome: "rejected",
      details: { approval: "expired" },
    });
    expect(ran).toEqual([]);
  });

  test("a preparation is no call yet: observers see one start and one end, when it is dispatched or turns out to be over", async () => {
    const session = await paying([]);
    const seen: string[] = [];
    session.observe(({ type, callId }) => seen.push(`${type} ${callId}`));
    const prepared = await session.prepare({ id: "p", name: "pay", input: { sum: 1 } });
    expect(seen).toEqual([]);
    await session.dispatch({ id: "p", name: "pay" }, { approval: { answer: "approved", prepared } });
    await session.prepare({ id: "q", name: "pay", input: { sum: "x" } });
    expect(seen).toEqual([
      "tool-call-started p",
      "tool-call-finished p",
      "tool-call-started q",
      "tool-call-finished q",
    ]);
  });

  test("a rejection is an answer too, and a refused call is prepared as settled", async () => {
    const ran: unknown[] = [];
    const session = await paying(ran);
    const prepared = await session.prepare({ name: "pay", input: { sum: 1 } });
    const result = await session.dispatch(
      { name: "pay", input: { sum: 1 } },
      { approval: { answer: "rejected", message: "too much", prepared } },
    );
    expect(result).toMatchObject({ outcome: "rejected", details: { approval: "person" } });
    expect(await session.prepare({ name: "pay", input: { sum: "x" } })).toMatchObject({
      verdict: "settled",
      result: { outcome: "invalid-input" },
    });
    const denied = await paying(ran, { policy: [{ name: "p", deny: ["pay"] }] });
    expect(await denied.prepare({ name: "pay", input: { sum: 1 } })).toMatchObject({
      verdict: "deny",
      result: { outcome: "denied" },
    });
  });
});

describe("asking", () => {
  test("APR-01 the input that runs is the one that was approved: its digest is the request's", async () => {
    const requests: ApprovalRequest[] = [];
    const ran: unknown[] = [];
    const session = await paying(ran, {
      hooks: [{ name: "rewrite", beforeToolCall: ({ input }) => ({ input: { ...input, sum: 5 } }) }],
      approver: {
        ask: async (request) => {
          requests.push(request);
          return { answer: "approved" };
        },
      },
    });
    await session.dispatch({ name: "pay", input: { sum: 1 } });
    expect(requests.map(({ input }) => input)).toEqual([{ sum: 5 }]);
    expect(ran).toEqual([["pay", { sum: 5 }]]);
    expect(Object.isFrozen(requests[0]?.input)).toBe(true);
  });

  test("identical pending requests share one prompt, and the answer settles exactly those", async () => {
    const answers = [gate<{ answer: "approved" }>(), gate<{ answer: "approved" }>()];
    let asked = 0;
    const ran: unknown[] = [];
    const session = await paying(ran, {
      approver: { ask: () => answers[asked++]?.opened ?? Promise.reject(new Error("asked too often")) },
    });
    const both = session.dispatchBatch([
      { name: "pay", input: { sum: 1 } },
      { name: "pay", input: { sum: 1 } },
    ]);
    await settle();
    expect(asked).toBe(1);
    answers[0]?.open({ answer: "approved" });
    expect((await both).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
    const third = session.dispatch({ name: "pay", input: { sum: 1 } });
    await settle();
    expect(asked).toBe(2);
    answers[1]?.open({ answer: "approved" });
    expect((await third).outcome).toBe("ok");
  });

  test("an abort withdraws the request, and a late answer is ignored", async () => {
    const answer = gate<{ answer: "approved" }>();
    const signals: AbortSignal[] = [];
    const ran: unknown[] = [];
    const session = await paying(ran, {
      approver: {
        ask: (_, signal) => {
          signals.push(signal);
          return answer.opened;
        },
      },
    });
    const result = session.dispatch({ name: "pay", input: { sum: 1 } });
    await settle();
    session.abort();
    expect((await result).outcome).toBe("cancelled");
    expect(signals[0]?.aborted).toBe(true);
    answer.open({ answer: "approved" });
    await settle();
    expect(ran).toEqual([]);
  });

  test("a preview that differs at the last look is asked about once more, and a second time is a mismatch", async () => {
    let version = 0;
    const previews: unknown[] = [];
    const make = (changes: number) =>
      createAgentSession({
        tools: [
          makeTool("edit", () => "edited", {
            rest: {
              preview: async () => {
                version += 1;
                return [{ type: "text", text: `version ${Math.min(version, changes)}` }];
              },
            },
          }),
        ],
        policy: [{ name: "p", ask: ["edit"] }],
        approver: {
          ask: async ({ preview }) => {
            previews.push(preview?.[0]);
            return { answer: "approved" };
          },
        },
      });
    expect((await (await make(2)).dispatch({ name: "edit" })).outcome).toBe("ok");
    expect(previews).toHaveLength(2);
    version = 0;
    expect(await (await make(99)).dispatch({ name: "edit" })).toMatchObject({
      outcome: "rejected",
      details: { approval: "mismatch" },
    });
  });

  test("a hook's ask binds a model and a program, and not a person at a terminal", async () => {
    const session = await createAgentSession({
      tools: [makeTool("t")],
      hooks: [{ name: "careful", beforeToolCall: () => ({ ask: "is this wise?" }) }],
    });
    const asked = await session.dispatch({ name: "t" });
    expect(asked).toMatchObject({ outcome: "rejected", details: { approval: "no-approver" } });
    expect(JSON.stringify(asked.content)).toContain("is this wise?");
    const { entranceOf } = await import("../../../src/core/session/entrance.ts");
    expect((await entranceOf(session).dispatch({ name: "t" }, { caller: { kind: "person" } })).outcome).toBe("ok");
  });
});
