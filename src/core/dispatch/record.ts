import { messageOf } from "../hooks/call-hook.ts";
import type { LockHold } from "../hooks/lock-hold.ts";
import { waitBounded, type Waited } from "../hooks/waited.ts";
import type { WriteLock } from "../hooks/write-lock.ts";
import { isRecord, type JsonObject } from "../json.ts";
import { isReadOnly } from "../policy/hints.ts";
import { copyJson } from "../tool/read-content.ts";
import type { CallRun } from "./call-run.ts";
import { cutHead, utf8Length } from "./cut-text.ts";
import { detailsOf } from "./finish.ts";
import { maskerOf } from "./mask-secrets.ts";

/** Journals that the call is about to run. Where that fails it does not run. */
export function recordIntent(run: CallRun): void | Promise<void> {
  return mayRecord(run) ? appendIntent(run) : undefined;
}

/** Journals how the call ended. Where that fails the real result stays and the session is degraded. */
export function recordOutcome(run: CallRun): void | Promise<void> {
  // What says itself that it could not be recorded, and did nothing, costs the session no trust.
  if (!mayRecord(run) || run.recorded || run.isUnrecorded) return undefined;
  const { outcome = "error", content, structuredContent } = run;
  const recorded = appendOrDegrade(run, {
    type: "outcome",
    ...idsOf(run),
    outcome,
    content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    details: detailsOf(run),
  });
  // Nobody waits twice for a journal that does not answer.
  return run.isIntentOpen ? undefined : recorded;
}

/** Journals an approval that is pending, its answer, or its use. */
export function recordApproval(run: CallRun, entry: Readonly<Record<string, unknown>>): void | Promise<void> {
  return mayRecord(run) ? appendOrDegrade(run, { ...idsOf(run), ...entry }) : undefined;
}

/** What an executor returned after its call had been answered. Shown to nobody. */
export function recordLate(run: CallRun, entry: Readonly<Record<string, unknown>>): void {
  if (!mayRecord(run)) return;
  const plain = copyJson(entry) ?? {};
  const masked = run.secrets ? maskerOf(run.secrets)(plain) : plain;
  void appendOrDegrade(run, { type: "settled-late", ...idsOf(run), ...(isRecord(masked) ? capLate(run, masked) : {}) });
}

/** Over the limit of a result it becomes the beginning of its JSON text. */
function capLate(run: CallRun, late: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { resultBytes } = run.services.limits;
  const text = JSON.stringify(late);
  const bytes = utf8Length(text);
  return bytes <= resultBytes ? late : { cut: cutHead(text, resultBytes), bytes };
}

/** A degraded session runs only what changes nothing, and that without a record. */
function mayRecord({ services }: CallRun): boolean {
  return services.journal !== undefined && services.degradation() === undefined;
}

async function appendIntent(run: CallRun): Promise<void> {
  const { input, originalInput, decision } = run;
  const written = append(run, {
    type: "intent",
    ...idsOf(run),
    input,
    ...(originalInput === input ? {} : { given: originalInput }),
    ...(decision?.rule === undefined ? {} : { rule: decision.rule }),
  });
  const waited = await run.waitFor(written, run.services.limits.journalMs);
  // The pipeline answers for an abort; an intent that is followed by its outcome alone says so.
  run.isIntentOpen = waited.kind === "cancelled" || waited.kind === "timed-out";
  if (waited.kind === "settled" || waited.kind === "cancelled") return;
  run.isUnrecorded = waited.kind === "failed";
  run.refuse("error", `"${run.name}" did not run: the journal could not be written (${describeFailure(run, waited)}).`);
}

async function appendOrDegrade(run: CallRun, entry: Readonly<Record<string, unknown>>): Promise<void> {
  const { clock, limits } = run.services;
  const waited = await waitBounded(clock, append(run, entry), limits.journalMs);
  if (waited.kind === "settled") return;
  run.services.degrade(`the journal could not be written: ${describeFailure(run, waited)}`);
}

function describeFailure(run: CallRun, waited: Waited<unknown>): string {
  return waited.kind === "failed" ? messageOf(waited.error) : `no answer within ${run.services.limits.journalMs} ms`;
}

/**
 * The write lock covers handing the entry over; the disk is waited for outside it, and only where the call has an effect
 * to lose. Everything in an entry is JSON of our own: inputs and contents are copies, and a copy more would cost as much as
 * the rest of the record.
 */
async function append(run: CallRun, entry: Readonly<Record<string, unknown>>): Promise<void> {
  const { journal, lock } = run.services;
  if (!journal) return;
  const sync = run.entry !== undefined && !isReadOnly(run.entry.descriptor);
  const handOver = (): Promise<void> => journal.append(entry as JsonObject, { sync }); // JSON, as said above
  const hold = run.outerHook?.hold;
  await (hold ? handOverUnder(hold, handOver) : handOverAlone(lock, handOver));
}

async function handOverAlone(lock: WriteLock, handOver: () => Promise<void>): Promise<void> {
  if (!lock.tryAcquire()) await lock.wait().granted;
  let written: Promise<void>;
  try {
    written = handOver();
  } finally {
    lock.release();
  }
  await written;
}

/** A call that a hook started writes under that hook's hold: it waits for itself else. */
async function handOverUnder(hold: LockHold, handOver: () => Promise<void>): Promise<void> {
  const entered = hold.enter();
  if (entered) await entered;
  let written: Promise<void>;
  try {
    written = handOver();
  } finally {
    hold.leave();
  }
  await written;
}

function idsOf(run: CallRun): JsonObject {
  const { kind, id, principal } = run.caller;
  const { turn } = run.scope;
  return {
    session: run.sessionId,
    callId: run.callId,
    name: run.name,
    caller: { kind, ...(id === undefined ? {} : { id }), ...(principal === undefined ? {} : { principal }) },
    ...(turn === undefined ? {} : { turn }),
    ...(run.parent ? { parentCallId: run.parent.callId } : {}),
  };
}
