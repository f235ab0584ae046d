import type { Content } from "../tool/content.ts";
import type { Prepared } from "./approval.ts";
import { approvalDigest } from "./approval-digest.ts";
import { previewOf } from "./approve.ts";
import type { CallRun } from "./call-run.ts";
import { askReason, mustAsk } from "./decide.ts";
import { decideOnly, dispatch, endInDefect } from "./dispatch.ts";
import { reportStart } from "./receive.ts";
import { recordApproval } from "./record.ts";

/** Takes a call up to its approval, once, and says what it found as JSON that may travel. */
export async function prepare(run: CallRun): Promise<Prepared> {
  run.isPreparation = true;
  let preview: readonly Content[] | undefined;
  try {
    await decideOnly(run);
    if (!run.isOver && mustAsk(run)) preview = await previewOf(run);
  } catch (error) {
    endInDefect(run, error);
  }
  if (run.isOver) return refused(run);
  run.dispatcher.forget(run);
  const prepared = waiting(run, preview);
  if (prepared.verdict === "ask") await recordApproval(run, { type: "approval-prepared", prepared });
  return prepared;
}

function waiting(run: CallRun, preview: readonly Content[] | undefined): Prepared {
  const reason = askReason(run);
  const shown = mustAsk(run) ? reason : (run.decision?.message ?? "");
  const expires = run.clock.now() + run.services.limits.approvalMs;
  return Object.freeze({
    verdict: mustAsk(run) ? "ask" : "allow",
    callId: run.callId,
    name: run.name,
    input: run.checkedInput,
    digest: approvalDigest(run, { reason, preview }),
    reason: shown,
    ...(preview === undefined ? {} : { preview }),
    expiresAt: new Date(expires).toISOString(),
  });
}

/** It has its result already: a call that is over walks straight to the finishing steps. */
async function refused(run: CallRun): Promise<Prepared> {
  if (run.services.emitter()) reportStart(run);
  const result = await dispatch(run);
  const [first] = result.content;
  const reason = first?.type === "text" ? first.text : result.outcome;
  return Object.freeze({
    verdict: result.outcome === "denied" ? "deny" : "settled",
    callId: run.callId,
    reason,
    result,
  });
}
