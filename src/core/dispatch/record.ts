import { messageOf } from "../hooks/call-hook.ts";
import { isRecord, type JsonObject } from "../json.ts";
import { copyJson } from "../tool/read-content.ts";
import type { CallRun } from "./call-run.ts";
import { maskerOf } from "./mask-secrets.ts";

/** Journals that the call is about to run. Where that fails it does not run. */
export function recordIntent(run: CallRun): void | Promise<void> {
  if (!run.services.journal) return undefined;
  return appendIntent(run);
}

/** Journals how the call ended. Where that fails the real result stays and the session is degraded. */
export function recordOutcome(run: CallRun): void | Promise<void> {
  if (!run.services.journal || run.recorded) return undefined;
  const { outcome = "error", structuredContent } = run;
  return appendOrDegrade(run, {
    type: "outcome",
    ...idsOf(run),
    outcome,
    content: run.content,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(run.notes === undefined ? {} : { notes: run.notes }),
  });
}

/** Journals an approval that is pending, or its answer. */
export function recordApproval(run: CallRun, entry: Readonly<Record<string, unknown>>): void | Promise<void> {
  return run.services.journal ? appendOrDegrade(run, { ...idsOf(run), ...entry }) : undefined;
}

/** What an executor returned after its call had been answered. Shown to nobody. */
export function recordLate(run: CallRun, entry: Readonly<Record<string, unknown>>): void {
  if (!run.services.journal) return;
  const plain = copyJson(entry) ?? {};
  const masked = run.secrets ? maskerOf(run.secrets)(plain) : plain;
  void appendOrDegrade(run, { type: "settled-late", ...idsOf(run), ...(isRecord(masked) ? masked : {}) });
}

async function appendIntent(run: CallRun): Promise<void> {
  try {
    await append(run, { type: "intent", ...idsOf(run), input: run.input });
    run.hasIntent = true;
  } catch (error) {
    run.refuse("error", `"${run.name}" did not run: the journal could not be written (${messageOf(error)}).`);
    return;
  }
  if (run.cancelReason !== undefined) {
    run.refuse("cancelled", `The call was cancelled before it ran: ${run.cancelReason}`);
  }
}

async function appendOrDegrade(run: CallRun, entry: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    await append(run, entry);
  } catch (error) {
    run.services.degrade(`the journal could not be written: ${messageOf(error)}`);
  }
}

/** The write lock covers handing the entry over; the disk is waited for outside it. */
async function append(run: CallRun, entry: Readonly<Record<string, unknown>>): Promise<void> {
  const { journal, lock } = run.services;
  const value = copyJson(entry);
  if (!journal || typeof value !== "object" || value === null || Array.isArray(value)) return;
  const written = await lock.run(() => ({ done: journal.append(value as JsonObject, { sync: true }) }));
  await written.done;
}

function idsOf(run: CallRun): JsonObject {
  return {
    session: run.sessionId,
    callId: run.callId,
    name: run.name,
    caller: run.caller.kind,
    ...(run.parent ? { parentCallId: run.parent.callId } : {}),
  };
}
