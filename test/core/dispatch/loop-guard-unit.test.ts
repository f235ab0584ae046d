import fc from "fast-check";
import type { ToolResult } from "toolmap";
import { describe, expect, test } from "vitest";
import { type GuardedTurn, LoopGuard, NOTICE_AT, STOP_AT } from "../../../src/core/dispatch/loop-guard.ts";

function resultOf(text: string, more: Partial<ToolResult> = {}): ToolResult {
  return { callId: "c", name: "t", outcome: "ok", isError: false, content: [{ type: "text", text }], ...more };
}

/** A turn of one call, by what it asks and what comes of it. */
function turnOf(asked: unknown, came: string): GuardedTurn {
  return { calls: [{ name: "t", input: asked }], results: [resultOf(came)] };
}

/** Adds them all; how often the last one has been repeated. */
function repeatsOf(turns: readonly GuardedTurn[]): number {
  const guard = new LoopGuard();
  return turns.map((turn) => guard.add(turn)).at(-1) ?? 0;
}

interface Came {
  readonly asked: number;
  readonly came: string;
}

/** The definition, over the whole history: the longest run of rounds of one, two or three turns at its end. */
function repeatsByDefinition(history: readonly Came[]): number {
  let most = 1;
  for (const cycle of [1, 2, 3]) {
    let run = 0;
    for (let at = history.length - 1; at >= cycle; at -= 1) {
      const [now, before] = [history[at], history[at - cycle]];
      if (now?.asked !== before?.asked || now?.came !== before?.came) break;
      run += 1;
    }
    most = Math.max(most, Math.floor(run / cycle) + 1);
  }
  return most;
}

const HISTORY: fc.Arbitrary<Came[]> = fc.oneof(
  fc.array(fc.record({ asked: fc.nat(2), came: fc.constantFrom("x", "y") }), { maxLength: 24 }),
  // Rounds, perhaps with something before them: the plain arbitrary hardly ever makes six.
  fc
    .tuple(
      fc.array(fc.record({ asked: fc.nat(2), came: fc.constantFrom("x", "y") }), { maxLength: 3 }),
      fc.array(fc.record({ asked: fc.nat(2), came: fc.constantFrom("x", "y") }), { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 7 }),
    )
    .map(([before, round, times]) => [...before, ...Array.from({ length: times }, () => round).flat()]),
);

describe("LoopGuard", () => {
  test("counts as its definition does over the whole history, though it remembers three turns", () => {
    fc.assert(
      fc.property(HISTORY, (history) => {
        const guard = new LoopGuard();
        for (const [at, { asked, came }] of history.entries()) {
          expect(guard.add(turnOf({ asked }, came))).toBe(repeatsByDefinition(history.slice(0, at + 1)));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("would stop exactly the calls that, should the same come of them again, were the repeat at which it ends", () => {
    fc.assert(
      fc.property(HISTORY, fc.nat(2), (history, asked) => {
        const guard = new LoopGuard();
        for (const each of history) guard.add(turnOf({ asked: each.asked }, each.came));
        const ends = ["x", "y"].some((came) => {
          const then = repeatsByDefinition([...history, { asked, came }]);
          return then >= STOP_AT;
        });
        expect(guard.wouldStop([{ name: "t", input: { asked } }])).toBe(ends);
      }),
      { numRuns: 500 },
    );
  });

  test("notices a round of one, two or three turns, and none of four", () => {
    const rounds = (length: number): readonly GuardedTurn[] =>
      Array.from({ length: length * STOP_AT }, (_, at) => turnOf({ asked: at % length }, "x"));
    expect([1, 2, 3].map((length) => repeatsOf(rounds(length)))).toEqual([STOP_AT, STOP_AT, STOP_AT]);
    expect(repeatsOf(rounds(4))).toBe(1);
    expect(NOTICE_AT).toBeLessThan(STOP_AT);
  });

  test.each<[string, GuardedTurn]>([
    ["another input", turnOf({ a: 2 }, "x")],
    ["another text", turnOf({ a: 1 }, "y")],
    ["another name", { calls: [{ name: "u", input: { a: 1 } }], results: [resultOf("x")] }],
    ["another outcome", { calls: [{ name: "t", input: { a: 1 } }], results: [resultOf("x", { outcome: "error" })] }],
    [
      "a call more",
      { calls: [1, 2].map(() => ({ name: "t", input: { a: 1 } })), results: [resultOf("x"), resultOf("x")] },
    ],
    ["no call at all", { calls: [], results: [] }],
  ])("takes %s for progress", (_, other) => {
    const same = turnOf({ a: 1 }, "x");
    expect(repeatsOf([same, same, same])).toBe(3);
    expect(repeatsOf([same, same, other])).toBe(1);
    expect(repeatsOf([other, other, same])).toBe(1);
  });

  test("takes turns without calls for no loop, however many", () => {
    const nothing: GuardedTurn = { calls: [], results: [] };
    expect(repeatsOf(Array.from({ length: 20 }, () => nothing))).toBe(1);
    const guard = new LoopGuard();
    for (let turn = 0; turn < 20; turn += 1) guard.add(nothing);
    expect(guard.wouldStop([])).toBe(false);
  });

  test("takes an id and how long a call took for no difference, and the order of members neither", () => {
    const turns: readonly GuardedTurn[] = [
      { calls: [{ name: "t", input: { a: 1, b: [{ c: 2, d: 3 }] } }], results: [resultOf("x", { callId: "1" })] },
      {
        calls: [{ name: "t", input: '{"b":[{"d":3,"c":2}],"a":1}' }],
        results: [resultOf("x", { callId: "2", details: { durationMs: 7 } })],
      },
    ];
    expect(repeatsOf(turns)).toBe(2);
  });

  test("takes the order of calls for a difference, and that of an array's elements", () => {
    const call = (name: string) => ({ name, input: {} });
    const results = [resultOf("x"), resultOf("x")];
    expect(
      repeatsOf([
        { calls: [call("a"), call("b")], results },
        { calls: [call("b"), call("a")], results },
      ]),
    ).toBe(1);
    expect(repeatsOf([turnOf([1, 2], "x"), turnOf([2, 1], "x")])).toBe(1);
  });

  test("compares text that is no JSON as text", () => {
    expect(repeatsOf([turnOf("{cut", "x"), turnOf("{cut", "x")])).toBe(2);
    expect(repeatsOf([turnOf("{cut", "x"), turnOf("{cu", "x")])).toBe(1);
  });
});
