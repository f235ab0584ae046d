import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { manualClock } from "toolmap/testing";

describe("manualClock", () => {
  test("manualClock stands still until it is told", async () => {
    const clock = manualClock(1000);
    let fired = 0;
    clock.after(10, () => (fired += 1));
    expect([clock.now(), clock.pending, fired]).toEqual([1000, 1, 0]);
    await clock.advance(9);
    expect([clock.now(), clock.pending, fired]).toEqual([1009, 1, 0]);
    await clock.advance(1);
    expect([clock.now(), clock.pending, fired]).toEqual([1010, 0, 1]);
  });

  test("advance fires in order of time, then of setting, each at its own time", async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(`${name}@${clock.now()}`);
    clock.after(20, note("late"));
    clock.after(10, note("first"));
    clock.after(10, note("second"));
    clock.after(Number.POSITIVE_INFINITY, note("never"));
    await clock.advance(50);
    expect(seen).toEqual(["first@10", "second@10", "late@20"]);
    expect([clock.now(), clock.pending]).toEqual([50, 1]);
  });

  test("advance lets promises run between timers, and fires what they set", async () => {
    const clock = manualClock();
    const seen: string[] = [];
    const wait = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
    const loop = (async () => {
      for (let round = 0; round < 3; round += 1) {
        await wait(10);
        for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
        seen.push(`loop@${clock.now()}`);
      }
    })();
    clock.after(15, () => seen.push("between"));
    await clock.advance(30);
    await loop;
    expect(seen).toEqual(["loop@10", "between", "loop@20", "loop@30"]);
  });

  test("a cancelled timer does not fire, and cancelling twice is fine", async () => {
    const clock = manualClock();
    const cancel = clock.after(5, () => expect.unreachable());
    cancel();
    cancel();
    expect(clock.pending).toBe(0);
    await clock.advance(10);
  });

  test("a timer that throws fails the advance, with time at that timer", async () => {
    const clock = manualClock();
    clock.after(5, () => {
      throw new Error("broken");
    });
    await expect(clock.advance(10)).rejects.toThrow("broken");
    expect([clock.now(), clock.pending]).toEqual([5, 0]);
  });

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("advance refuses %s", async (ms) => {
    await expect(manualClock().advance(ms)).rejects.toMatchObject({ code: "bad-option" });
  });

  test("every timer fires once, never early, however time is cut up", async () => {
    const delays = fc.array(fc.nat(30), { maxLength: 8 });
    const steps = fc.array(fc.nat(10), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(delays, steps, async (timers, cuts) => {
        const clock = manualClock();
        const fired: number[] = [];
        timers.forEach((ms) => clock.after(ms, () => fired.push(clock.now() === ms ? ms : Number.NaN)));
        for (const ms of cuts) await clock.advance(ms);
        await clock.advance(0);
        const end = clock.now();
        expect(fired).toEqual(timers.filter((ms) => ms <= end).sort((a, b) => a - b));
        expect(clock.pending).toBe(timers.length - fired.length);
      }),
    );
  });
});
