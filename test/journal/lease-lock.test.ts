import fc from "fast-check";
import { ToolmapError } from "toolmap";
import { manualClock } from "toolmap/testing";
import { describe, expect, test } from "vitest";
import { type LeaseLock, leaseLock } from "../../src/journal/lease-lock.ts";
import { type DiskOperation, simulatedDisk } from "../support/simulated-disk.ts";

const LEASE = 1000;

interface World {
  readonly disk: ReturnType<typeof simulatedDisk>;
  readonly clock: ReturnType<typeof manualClock>;
  readonly dead: Set<number>;
  /** A process of its own: `before` may fail its disk. */
  process(pid: number, before?: (operation: DiskOperation, path: string) => void): LeaseLock;
}

function world(): World {
  const clock = manualClock();
  const disk = simulatedDisk({ now: () => clock.now(), random: () => 0 });
  const dead = new Set<number>();
  return {
    disk,
    clock,
    dead,
    process: (pid, before = () => undefined) =>
      leaseLock({
        folderOf: (id) => `/s/${id}`,
        disk: disk.as(before),
        clock,
        after: (ms, run) => clock.after(ms, run),
        leaseMs: LEASE,
        pid,
        isAlive: (other) => !dead.has(other),
      }),
  };
}

describe("leaseLock", () => {
  test("a second process is refused with who has it, until when, and what to do", async () => {
    const { process } = world();
    await process(1).open("s");
    const refusal = await process(2)
      .open("s")
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ToolmapError);
    expect(refusal).toMatchObject({ code: "session-open-elsewhere", fix: expect.stringContaining("watch") as string });
    expect((refusal as Error).message).toMatch(/"s".*process 1 .*until \d{4}-/);
  });

  test("a lease that is renewed lasts, and costs no disk between renewals", async () => {
    const { process, clock } = world();
    let operations = 0;
    const lock = process(1, () => (operations += 1));
    const lease = await lock.open("s");
    const opened = operations;
    for (let each = 0; each < 100; each += 1) expect(lock.stillOwns("s")).toBe(true);
    expect(operations).toBe(opened);
    for (let third = 0; third < 30; third += 1) await clock.advance(LEASE / 3);
    expect(lock.stillOwns("s")).toBe(true);
    expect(lease.lost.aborted).toBe(false);
    await expect(process(2).open("s")).rejects.toMatchObject({ code: "session-open-elsewhere" });
  });

  test("the lock of a process that is dead is taken at once, under a higher fence", async () => {
    const { process, dead } = world();
    const { fence } = await process(1).open("s");
    dead.add(1);
    expect((await process(2).open("s")).fence).toBeGreaterThan(fence);
  });

  test("the lock of another machine is taken when its lease has run out, whatever its process number", async () => {
    const { disk, clock, process } = world();
    const elsewhere = leaseLock({
      folderOf: (id) => `/s/${id}`,
      disk,
      clock,
      after: () => () => undefined,
      leaseMs: LEASE,
      pid: 2,
      machine: "0123abcd",
      isAlive: () => false,
    });
    await elsewhere.open("s");
    await expect(process(2).open("s")).rejects.toMatchObject({ code: "session-open-elsewhere" });
    await clock.advance(LEASE);
    await process(2).open("s");
    expect(elsewhere.stillOwns("s")).toBe(false);
  });

  test("a process that died before us and had our number does not lock us out", async () => {
    const { disk, clock } = world();
    const folderOf = (id: string): string => `/s/${id}`;
    const before = leaseLock({ folderOf, disk, clock, after: () => () => undefined, leaseMs: LEASE, pid: 7 });
    const { fence } = await before.open("s");
    // What a process before us left has an owner that is none of ours.
    const [name = ""] = disk.list("/s/s");
    disk.rename(`/s/s/${name}`, `/s/s/${name.slice(0, -4)}zzzz`);
    const lease = await leaseLock({ folderOf, disk, clock, after: () => () => undefined, pid: 7 }).open("s");
    expect(lease.fence).toBeGreaterThan(fence);
  });

  test("a holder that stood still is overtaken and finds out, once, at its next look", async () => {
    const { process, clock, disk } = world();
    const stopped = leaseLock({
      folderOf: (id) => `/s/${id}`,
      disk,
      clock,
      after: () => () => undefined,
      leaseMs: LEASE,
      pid: 1,
      isAlive: () => true,
    });
    const lease = await stopped.open("s");
    await clock.advance(LEASE);
    const next = process(2);
    await next.open("s");
    let losses = 0;
    lease.lost.addEventListener("abort", () => (losses += 1));
    expect(stopped.stillOwns("s")).toBe(false);
    expect(stopped.stillOwns("s")).toBe(false);
    expect(losses).toBe(1);
    await lease.release();
    expect(next.stillOwns("s")).toBe(true);
  });

  test("a holder that stood still and was not overtaken goes on under its fence", async () => {
    const { clock, disk, process } = world();
    const stopped = leaseLock({
      folderOf: (id) => `/s/${id}`,
      disk,
      clock,
      after: () => () => undefined,
      leaseMs: LEASE,
      pid: 1,
    });
    await stopped.open("s");
    await clock.advance(LEASE * 100);
    expect(stopped.stillOwns("s")).toBe(true);
    await expect(process(2).open("s")).rejects.toMatchObject({ code: "session-open-elsewhere" });
  });

  test("a folder that vanishes under a holder is a loss, a disk that refuses is one when the lease has run out", async () => {
    const vanished = world();
    const lock = vanished.process(1);
    const lease = await lock.open("s");
    vanished.disk.remove("/s/s");
    await vanished.clock.advance(LEASE);
    expect(lease.lost.aborted).toBe(true);

    const refusing = world();
    let refuses = false;
    const other = refusing.process(1, () => {
      if (refuses) throw Object.assign(new Error("EROFS"), { code: "EROFS" });
    });
    await other.open("s");
    refuses = true;
    await refusing.clock.advance(LEASE / 2);
    expect(other.stillOwns("s")).toBe(true);
    await refusing.clock.advance(LEASE);
    expect(other.stillOwns("s")).toBe(false);
  });

  test("a disk that does not let it be taken says so", async () => {
    const { process } = world();
    const lock = process(1, (operation) => {
      if (operation === "create") throw Object.assign(new Error("EROFS: x"), { code: "EROFS" });
    });
    await expect(lock.open("s")).rejects.toMatchObject({ code: "journal-failed" });
  });

  test("files of other names, and names that lie, lock nobody out", async () => {
    const { process, disk } = world();
    for (const name of ["lock", "lock-", "lock-x", "lock-1-2-3", "free-", "free--1", "lock-9999999999999999-1-1-a-b"])
      disk.create(`/s/s/${name}`, "?");
    await process(1).open("s");
  });
});

describe("owners of a session", () => {
  test("whatever is paused, killed or overtaken: never two at a time, fences grow, nobody is locked out for long", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) => {
        await play(steps);
      }),
      { numRuns: 2000 },
    );
  });
});

interface Step {
  readonly pid: number;
  readonly act: "open" | "release" | "renew" | "kill" | "pass" | "die-within";
  /** How far the clock goes, in milliseconds; or at which of its next operations the process dies. */
  readonly amount: number;
}

const STEP: fc.Arbitrary<Step> = fc.record({
  pid: fc.integer({ min: 1, max: 4 }),
  act: fc.constantFrom("open", "open", "release", "renew", "kill", "pass", "die-within"),
  amount: fc.integer({ min: 0, max: 1500 }),
});

class Died extends Error {}

/** Plays processes that never renew by themselves: each renewal is a step, as late as it comes. */
async function play(steps: readonly Step[]): Promise<void> {
  let now = 0;
  let nextPid = 10;
  const disk = simulatedDisk({ now: () => now, random: () => 0 });
  const dead = new Set<number>();
  const fences: number[] = [];
  const processes = new Map<
    number,
    { lock: LeaseLock; pid: number; diesIn: number; release: (() => Promise<void>) | undefined }
  >();
  const start = (slot: number): void => {
    nextPid += 1;
    const pid = nextPid;
    const state = {
      pid,
      diesIn: Number.POSITIVE_INFINITY,
      release: undefined as (() => Promise<void>) | undefined,
      lock: leaseLock({
        folderOf: () => "/s/s",
        disk: disk.as(() => {
          state.diesIn -= 1;
          if (state.diesIn < 0 || dead.has(pid)) {
            dead.add(pid);
            throw new Died();
          }
        }),
        clock: { now: () => now },
        after: () => () => undefined,
        leaseMs: LEASE,
        pid,
        isAlive: (other) => !dead.has(other),
      }),
    };
    processes.set(slot, state);
  };
  for (const slot of [1, 2, 3, 4]) start(slot);
  const owners = (): number =>
    [...processes.values()].filter(({ lock, pid }) => !dead.has(pid) && lock.stillOwns("s") && !dead.has(pid)).length;
  for (const { pid: slot, act, amount } of steps) {
    const state = processes.get(slot);
    if (!state) continue;
    if (act === "pass") now += amount;
    else if (act === "kill") dead.add(state.pid);
    else if (act === "die-within") state.diesIn = amount % 8;
    else if (act === "renew") state.lock.stillOwns("s");
    else if (act === "release") await state.release?.().catch(() => undefined);
    else {
      const lease = await state.lock.open("s").catch(() => undefined);
      if (lease && !dead.has(state.pid)) {
        fences.push(lease.fence);
        state.release = () => lease.release();
      }
    }
    if (dead.has(state.pid)) start(slot);
    expect(owners()).toBeLessThanOrEqual(1);
  }
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  now += LEASE;
  for (const { pid } of processes.values()) dead.add(pid);
  start(1);
  await processes.get(1)?.lock.open("s");
  expect(processes.get(1)?.lock.stillOwns("s")).toBe(true);
}
