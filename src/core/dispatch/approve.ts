import { clipText, freezeJson } from "../json.ts";
import type { Content } from "../tool/content.ts";
import { readContent } from "../tool/read-content.ts";
import type { ApprovalAnswer, ApprovalRequest, Prepared } from "./approval.ts";
import { approvalDigest } from "./approval-digest.ts";
import type { AskEnd } from "./approval-desk.ts";
import type { CallRun } from "./call-run.ts";
import { askReason, mustAsk } from "./decide.ts";
import { recordApproval } from "./record.ts";

/** Gets an answer for a call that needs one: the answer that came with it, or the approver's. Holds no lock meanwhile. */
export function approve(run: CallRun): void | Promise<void> {
  if (!mustAsk(run)) return undefined;
  return run.options.approval ? useGivenApproval(run, run.options.approval) : askApprover(run);
}

/** The preview that an approver would see; undefined where the tool has none. Refuses the call when it fails. */
export async function previewOf(run: CallRun): Promise<readonly Content[] | undefined> {
  if (!run.tool.preview) return undefined;
  const work = Promise.resolve().then(() => run.tool.preview?.(run.checkedInput as never));
  const waited = await run.waitFor(work, run.services.limits.hookMs);
  switch (waited.kind) {
    case "settled":
      return Array.isArray(waited.value) ? (waited.value as readonly unknown[]).map(readContent) : undefined;
    case "cancelled":
      refuseCancelled(run);
      return undefined;
    case "failed":
    case "timed-out":
      run.refuse("error", `"${run.name}" did not run: what it would do could not be shown to the approver.`);
      return undefined;
  }
}

/** An answer that was given for a prepared call, in this process or another. */
async function useGivenApproval(
  run: CallRun,
  { prepared, ...answer }: ApprovalAnswer & { readonly prepared: Prepared },
): Promise<void> {
  const preview = await previewOf(run);
  if (run.isOver) return undefined;
  const { clock, services } = run;
  const digest = approvalDigest(run, { reason: askReason(run), preview });
  if (!("digest" in prepared) || prepared.digest !== digest) {
    run.note("the approval was given for something else");
    return askAgain(run);
  }
  const expiresAt = Date.parse(prepared.expiresAt);
  if (!(expiresAt > clock.now())) {
    run.approval = "expired";
    run.refuse("rejected", `"${run.name}" did not run: its approval expired at ${prepared.expiresAt}. Ask again.`);
    return undefined;
  }
  if (!services.approvals.use(useKey(prepared.callId, digest), { now: clock.now(), expiresAt })) {
    run.note("the approval was used before");
    return askAgain(run);
  }
  run.approvedDigest = digest;
  applyAnswer(run, answer);
  await recordApproval(run, { type: "approval-used", use: useKey(prepared.callId, digest), expiresAt, answer });
}

/** Under which the use of a prepared approval is known: once, in this process and in the record. */
function useKey(callId: string, digest: string): string {
  return `${callId} ${digest}`;
}

/** What a record needs of a request: the entry names the call, and the digest binds the definition. */
function recordable(request: ApprovalRequest): Readonly<Record<string, unknown>> {
  const { tool: _, call: __, ...rest } = request;
  return rest;
}

/** Asks once more after something differed; a second difference is the end. */
export function askAgain(run: CallRun): void | Promise<void> {
  if (run.hasAskedAgain || !run.services.approver) {
    run.approval = "mismatch";
    run.refuse(
      "rejected",
      `"${run.name}" did not run: what was approved is not what would run now. Call it again to ask anew.`,
    );
    return undefined;
  }
  run.hasAskedAgain = true;
  run.approvedDigest = undefined;
  return askApprover(run);
}

export async function askApprover(run: CallRun): Promise<void> {
  const { services } = run;
  const reason = askReason(run);
  if (!services.approver) {
    run.approval = "no-approver";
    run.refuse("rejected", describeNoApprover(run, reason));
    return;
  }
  const preview = await previewOf(run);
  if (run.isOver) return;
  const request = buildRequest(run, { reason, preview });
  run.outerHook?.hold?.giveBackWhileIdle();
  const ticket = services.approvals.ask(services.approver, request, {
    clock: run.clock,
    ms: services.limits.approvalMs,
  });
  if (ticket.isFirst) {
    run.emit({ type: "approval-requested", request: ticket.request });
    await recordApproval(run, { type: "approval-requested", request: recordable(ticket.request) });
  } else {
    // It waits for the same answer, and would wait again in a later process.
    await recordApproval(run, { type: "approval-joined", id: ticket.request.id });
  }
  const waited = await run.waitFor(ticket.ended, Number.POSITIVE_INFINITY);
  if (waited.kind === "settled") {
    run.approvedDigest = request.digest;
    await applyEnd(run, ticket.request, { end: waited.value, isFirst: ticket.isFirst });
  } else {
    refuseCancelled(run);
  }
  ticket.leave();
}

async function applyEnd(
  run: CallRun,
  request: ApprovalRequest,
  { end, isFirst }: { readonly end: AskEnd; readonly isFirst: boolean },
): Promise<void> {
  if (end.kind === "expired") {
    run.approval = "expired";
    run.refuse("rejected", `"${run.name}" was not approved: ${end.message}. It did not run.`);
    return;
  }
  if (isFirst) {
    run.emit({ type: "approval-answered", id: request.id, answer: end.answer });
    await recordApproval(run, { type: "approval-answered", id: request.id, answer: end.answer });
  }
  applyAnswer(run, end.answer);
}

function applyAnswer(run: CallRun, { answer, message, by }: ApprovalAnswer): void {
  run.approval = "person";
  if (by !== undefined) run.answeredBy = by;
  if (answer === "approved") return;
  const words = message === undefined || message === "" ? "" : `: ${clipText(message, 500)}`;
  run.refuse("rejected", `"${run.name}" was rejected${words}. It did not run.`);
}

function buildRequest(
  run: CallRun,
  { reason, preview }: { readonly reason: string; readonly preview: readonly Content[] | undefined },
): ApprovalRequest {
  const { clock, services } = run;
  const rule = run.decision?.rule?.text;
  const input = run.checkedInput;
  return freezeJson({
    id: `${run.callId}.${run.hasAskedAgain ? 2 : 1}`,
    call: { id: run.callId, name: run.name, input },
    tool: run.found.descriptor,
    input,
    caller: run.caller,
    reason,
    ...(rule === undefined ? {} : { rule }),
    ...(preview === undefined ? {} : { preview }),
    digest: approvalDigest(run, { reason, preview }),
    expiresAt: new Date(clock.now() + services.limits.approvalMs).toISOString(),
    offers: [{ scope: "once" as const }],
  });
}

function describeNoApprover(run: CallRun, reason: string): string {
  const fix = run.decision?.fix;
  const head = `"${run.name}" needs an approval and nobody is there to give it: ${reason}`;
  return fix === undefined ? head : `${head} To let it run without asking: ${fix}.`;
}

export function refuseCancelled(run: CallRun): void {
  run.refuse("cancelled", `The call was cancelled before it ran: ${run.cancelReason ?? "aborted"}`);
}
