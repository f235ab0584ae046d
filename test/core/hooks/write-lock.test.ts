import { describe, expect, test } from "vitest";
import { LockHold } from "../../../src/core/hooks/lock-hold.ts";
import { WriteLock } from "../../../src/core/hooks/write-lock.ts";

describe("WriteLock", () => {
  test("takes at once when free, else in the order of arrival", async () => {
    const lock = new WriteLock();
    expect(lock.tryAcquire()).toBe(true);
    expect(lock.tryAcquire()).toBe(false);
    const order: number[] = [];
    const waits = [1, 2, 3].map((each) => lock.wait().granted.then(() => order.push(each)));
    for (const wait of waits) {
      lock.release();
      await wait;
    }
    expect(order).toEqual([1, 2, 3]);
    expect(lock.isHeld).toBe(true);
    lock.release();
    expect(lock.isHeld).toBe(false);
  });

  test("who leaves the queue is passed over, and a throw in run gives it back", async () => {
    const lock = new WriteLock();
    lock.tryAcquire();
    const [first, second] = [lock.wait(), lock.wait()];
    first.leave();
    first.leave();
    lock.release();
    await second.granted;
    lock.release();
    await expect(
      lock.run(() => {
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await lock.run(() => "yes")).toBe("yes");
    expect(lock.isHeld).toBe(false);
  });
});

describe("LockHold", () => {
  test("several hooks hold the lock together, and it goes back when none of them runs", async () => {
    const lock = new WriteLock();
    const hold = new LockHold(lock);
    expect(hold.enter()).toBeUndefined();
    expect(hold.enter()).toBeUndefined();
    hold.leave();
    hold.giveBackWhileIdle();
    expect(lock.isHeld).toBe(true);
    hold.leave();
    expect(lock.isHeld).toBe(true);
    hold.giveBackWhileIdle();
    expect(lock.isHeld).toBe(false);
    expect(hold.enter()).toBeUndefined();
    hold.leave();
    hold.giveBackWhileIdle();
  });

  test("who wanted it and was abandoned while it waited does not keep it", async () => {
    const lock = new WriteLock();
    lock.tryAcquire();
    const hold = new LockHold(lock);
    const entering = hold.enter();
    hold.leave();
    lock.release();
    await entering;
    expect(lock.isHeld).toBe(false);
  });

  test("two that enter at once take it once", async () => {
    const lock = new WriteLock();
    lock.tryAcquire();
    const hold = new LockHold(lock);
    const both = Promise.all([hold.enter(), hold.enter()]);
    lock.release();
    await both;
    hold.leave();
    hold.leave();
    hold.giveBackWhileIdle();
    expect(lock.isHeld).toBe(false);
  });
});
