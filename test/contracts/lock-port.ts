import type { SessionLockPort } from "../../src/core/session/agent-session.ts";
import { expect, test } from "vitest";

/** What every lock port promises. `make` gives a fresh one, with nothing taken. */
export function lockPortContract(name: string, make: () => SessionLockPort): void {
  test(`${name}: a session that is open is refused, and can be opened once it was given back`, async () => {
    const lock = make();
    const lease = await lock.open("s");
    await expect(lock.open("s")).rejects.toThrow(/"s"/);
    await lease.release();
    await (await lock.open("s")).release();
  });

  test(`${name}: fences grow with every owner`, async () => {
    const lock = make();
    const fences: number[] = [];
    for (let owner = 0; owner < 5; owner += 1) {
      const lease = await lock.open("s");
      fences.push(lease.fence);
      await lease.release();
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  test(`${name}: giving back twice harms nobody`, async () => {
    const lock = make();
    const first = await lock.open("s");
    await first.release();
    const second = await lock.open("s");
    await first.release();
    await expect(lock.open("s")).rejects.toThrow();
    await second.release();
  });

  test(`${name}: sessions do not hinder each other, whatever their ids`, async () => {
    const lock = make();
    const ids = ["a", "b", "A", "../a", "", "a/b", "ä", "con", "__proto__"];
    const leases = await Promise.all(ids.map((id) => lock.open(id)));
    for (const lease of leases) expect(lease.lost.aborted).toBe(false);
    for (const lease of leases) await lease.release();
  });

  test(`${name}: of many that open at once exactly one gets it`, async () => {
    const lock = make();
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lock.open("s")));
    expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
}
