import fc from "fast-check";
import { expect, test } from "vitest";
import { LockHold } from "../../../src/core/hooks/lock-hold.ts";
import { WriteLock } from "../../../src/core/hooks/write-lock.ts";

/** A hook: what it starts, one after another or at once, and whether the lock is given back meanwhile. */
interface HookPlan {
  readonly nested: readonly HookPlan[];
  readonly atOnce: boolean;
  readonly givesBack: boolean;
}

const { hook } = fc.letrec<{ hook: HookPlan }>((tie) => ({
  hook: fc.record({
    nested: fc.oneof({ maxDepth: 3 }, fc.constant([]), fc.array(tie("hook"), { maxLength: 2 })),
    atOnce: fc.boolean(),
    givesBack: fc.boolean(),
  }),
}));

type Actor =
  | { readonly kind: "hook"; readonly plan: HookPlan }
  | { readonly kind: "writer" }
  /** Wants the lock and gives up before it has it. */
  | { readonly kind: "abandons" }
  | { readonly kind: "leaves the queue" };

const ACTOR: fc.Arbitrary<Actor> = fc.oneof(
  fc.record({ kind: fc.constant("hook" as const), plan: hook }),
  fc.constantFrom<Actor>({ kind: "writer" }, { kind: "abandons" }, { kind: "leaves the queue" }),
);

/** One lock, whoever is at work under it, and a scheduler that decides who goes on. */
class World {
  readonly lock = new WriteLock();
  readonly #scheduler: fc.Scheduler;
  /** How many are at work under each hold: more than one hold here is a fault. */
  readonly #inside = new Map<object, number>();
  faults = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  async play(actor: Actor): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve());
    switch (actor.kind) {
      case "hook": {
        const hold = new LockHold(this.lock);
        await this.#run(hold, actor.plan);
        hold.giveBackWhileIdle();
        return;
      }
      case "writer":
        return this.lock.run(() => this.#work({}));
      case "abandons": {
        const hold = new LockHold(this.lock);
        const entering = hold.enter();
        hold.leave();
        hold.giveBackWhileIdle();
        return entering;
      }
      case "leaves the queue": {
        if (this.lock.tryAcquire()) return this.lock.release();
        const wait = this.lock.wait();
        let isGranted = false;
        void wait.granted.then(() => (isGranted = true));
        await this.#scheduler.schedule(Promise.resolve());
        if (isGranted) this.lock.release();
        else wait.leave();
      }
    }
  }

  async #run(hold: LockHold, plan: HookPlan): Promise<void> {
    await hold.enter();
    await this.#work(hold);
    if (plan.nested.length > 0) {
      hold.leave();
      if (plan.givesBack) hold.giveBackWhileIdle();
      if (plan.atOnce) await Promise.all(plan.nested.map((each) => this.#run(hold, each)));
      else for (const each of plan.nested) await this.#run(hold, each);
      await hold.enter();
      await this.#work(hold);
    }
    hold.leave();
  }

  async #work(owner: object): Promise<void> {
    this.#inside.set(owner, (this.#inside.get(owner) ?? 0) + 1);
    if (this.#inside.size > 1 || !this.lock.isHeld) this.faults += 1;
    await this.#scheduler.schedule(Promise.resolve());
    const left = (this.#inside.get(owner) ?? 0) - 1;
    if (left === 0) this.#inside.delete(owner);
    else this.#inside.set(owner, left);
  }
}

test("LockHold keeps what runs under it alone with the lock, however deep, at once, given back and abandoned; everybody gets through and the lock ends free", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(ACTOR, { minLength: 1, maxLength: 6 }), async (scheduler, actors) => {
      const world = new World(scheduler);
      const all = Promise.all(actors.map((actor) => world.play(actor)));
      await scheduler.waitFor(all);
      expect(world.faults).toBe(0);
      expect(world.lock.isHeld).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test("LockHold of a lock that was taken already costs no wait and gives it back once", async () => {
  const lock = new WriteLock();
  expect(lock.tryAcquire()).toBe(true);
  const hold = new LockHold(lock, { isHeld: true });
  const next = lock.wait();
  hold.leave();
  hold.giveBackWhileIdle();
  hold.giveBackWhileIdle();
  await next.granted;
  expect(lock.isHeld).toBe(true);
  lock.release();
  expect(lock.isHeld).toBe(false);
});
