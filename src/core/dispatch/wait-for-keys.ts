import { refuseCancelled } from "./approve.ts";
import type { CallRun } from "./call-run.ts";
import type { ResourceHold } from "./resource-table.ts";

/** Waits for earlier calls of the batch that conflict, then takes the keys from whoever runs with them now. */
export function waitForKeys(run: CallRun): void | Promise<void> {
  if (blockedInBatch(run) === undefined && run.services.resources.tryTake(run)) return taken(run);
  run.outerHook?.hold?.giveBackWhileIdle();
  return waitBounded(run);
}

/** Gives the keys back once the executor has settled. A late executor keeps them. */
export function releaseKeys(run: CallRun): void {
  if (run.holdsResources && !run.dispatcher.late.has(run)) giveUpKeys(run);
  if (!run.dispatcher.late.has(run)) settleInBatch(run);
}

/** The executor has settled, in time or late. */
export function giveUpKeys(run: CallRun): void {
  run.holdsResources = false;
  run.services.resources.release(run);
}

export function settleInBatch(run: CallRun): void {
  run.options.batch?.settle(run.place);
}

function taken(run: CallRun): void {
  run.holdsResources = true;
  for (const { name, callId } of run.services.resources.overdueFor(run)) {
    run.note(`"${name}" (${callId}) was given up earlier and may still be at work on the same thing`);
  }
}

function blockedInBatch(run: CallRun): ResourceHold | "undeclared" | undefined {
  return run.options.batch?.blockerOf(run.place, run);
}

async function waitBounded(run: CallRun): Promise<void> {
  const { keyWaitMs } = run.services.limits;
  const until = run.clock.now() + keyWaitMs;
  for (let blocker = blockedInBatch(run); blocker !== undefined; blocker = blockedInBatch(run)) {
    const change = run.options.batch?.nextChange() ?? Promise.resolve();
    const waited = await run.waitFor(change, Math.max(0, until - run.clock.now()));
    if (waited.kind === "cancelled") return refuseCancelled(run);
    if (waited.kind === "timed-out") return refuseWaited(run, blocker === "undeclared" ? undefined : blocker);
  }
  const place = run.services.resources.tryTake(run) ? undefined : run.services.resources.wait(run);
  if (place) {
    const waited = await run.waitFor(place.granted, Math.max(0, until - run.clock.now()));
    if (waited.kind !== "settled") {
      const holder = place.holder();
      abandonPlace(run, place);
      return waited.kind === "timed-out" ? refuseWaited(run, holder) : refuseCancelled(run);
    }
  }
  return taken(run);
}

/** The grant may have come in the same tick as the end of the wait; then the keys go straight back. */
function abandonPlace(run: CallRun, place: { leave(): void }): void {
  place.leave();
  run.services.resources.release(run);
}

function refuseWaited(run: CallRun, holder: ResourceHold | undefined): void {
  const who = holder ? `"${holder.name}" (${holder.callId})` : "an earlier call of the same batch";
  run.refuse(
    "timed-out",
    `"${run.name}" did not run: it waited ${run.services.limits.keyWaitMs} ms for ${who}, which holds what it needs.`,
  );
}
