import fc from "fast-check";
import type { ToolResult } from "toolmap";
import { expect, test } from "vitest";
import { type FinishedCall, FinishedCalls } from "../../../src/core/dispatch/finished-calls.ts";

function ended(callId: string): FinishedCall {
  const result: ToolResult = { callId, name: "t", outcome: "ok", isError: false, content: [] };
  return { name: "t", input: {}, result };
}

test("FinishedCalls remembers the last that ended and no more, whatever is open beside them", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 8 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      (remembered, ends) => {
        const calls = new FinishedCalls(remembered);
        const order: string[] = [];
        for (const [at, hasEnded] of ends.entries()) {
          const id = `c${at}`;
          calls.open(id);
          if (!hasEnded) continue;
          calls.add(id, ended(id));
          order.push(id);
        }
        const kept = new Set(order.slice(-remembered));
        for (const [at, hasEnded] of ends.entries()) {
          const id = `c${at}`;
          expect(calls.has(id), id).toBe(!hasEnded || kept.has(id));
          expect(calls.get(id)?.result.callId, id).toBe(kept.has(id) ? id : undefined);
        }
      },
    ),
  );
});

test("FinishedCalls keeps a thousand unless it is told otherwise, and all of them with a record", () => {
  const [bounded, all] = [new FinishedCalls(), new FinishedCalls(Number.POSITIVE_INFINITY)];
  for (let at = 0; at < 2500; at += 1) {
    bounded.add(`c${at}`, ended(`c${at}`));
    all.add(`c${at}`, ended(`c${at}`));
  }
  expect([bounded.has("c1499"), bounded.has("c1500"), bounded.has("c2499")]).toEqual([false, true, true]);
  expect([all.get("c0")?.result.callId, all.get("c2499")?.result.callId]).toEqual(["c0", "c2499"]);
});

test("FinishedCalls has an open call without a result, and nothing of one that was given up", () => {
  const calls = new FinishedCalls();
  calls.open("a");
  expect([calls.has("a"), calls.get("a")]).toEqual([true, undefined]);
  calls.forget("a");
  calls.forget("never");
  expect(calls.has("a")).toBe(false);
});

test("FinishedCalls that has forgotten an id takes it again, and keeps it as long as any other", () => {
  const calls = new FinishedCalls(2);
  for (const id of ["a", "b", "c", "a", "d"]) {
    calls.open(id);
    calls.add(id, ended(id));
  }
  expect(["a", "b", "c", "d"].filter((id) => calls.has(id))).toEqual(["a", "d"]);
});

test.each(["__proto__", "constructor", "toString", ""])("FinishedCalls takes the id %j as any other", (id) => {
  const calls = new FinishedCalls(1);
  expect([calls.has(id), calls.get(id)]).toEqual([false, undefined]);
  calls.open(id);
  calls.add(id, ended(id));
  expect(calls.get(id)?.result.callId).toBe(id);
  calls.add("next", ended("next"));
  expect(calls.has(id)).toBe(false);
});
