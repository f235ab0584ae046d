import { decideEntry, type View, type ViewEntry } from "../policy/view.ts";
import { approvalDigest } from "./approval-digest.ts";
import { askAgain, askApprover, previewOf } from "./approve.ts";
import type { CallRun } from "./call-run.ts";
import { askReason, describeDenial, mustAsk } from "./decide.ts";
import { describeDown, describeHidden, refuseWhileDegraded } from "./gate.ts";
import { giveUpKeys, waitForKeys } from "./wait-for-keys.ts";

/** The last look before anything runs: not tightened, the approval fits, the tool is there. */
export function confirm(run: CallRun): void | Promise<void> {
  const view = run.services.currentView();
  if (view !== run.scope.view) confirmAgainst(run, view);
  if (!run.isOver) refuseWhileDegraded(run);
  if (run.isOver || !mustAsk(run)) return undefined;
  return confirmApproval(run);
}

/** A turn pins definitions and names, never permission: the stricter of both views counts. */
function confirmAgainst(run: CallRun, view: View): void {
  const current = view.entries.get(run.name);
  if (!current || current.origin !== run.found.origin) {
    run.refuse("unavailable", `"${run.name}" was removed since this turn began. It did not run.`);
    return;
  }
  if (current.hidden) {
    run.refuse(current.hiddenByPolicy ? "denied" : "unavailable", describeHidden(current));
    return;
  }
  if (current.isDown) {
    run.refuse("unavailable", describeDown(view, current));
    return;
  }
  tighten(run, view, current);
}

function tighten(run: CallRun, view: View, current: ViewEntry): void {
  const decision = decideEntry(view, current, run.caller);
  if (decision.verdict === "deny") run.refuse("denied", describeDenial(run.name, decision));
  else if (decision.verdict === "ask" && run.decision?.verdict !== "ask") run.decision = decision;
}

/** What was approved must be what would run now; else somebody is asked once more. */
async function confirmApproval(run: CallRun): Promise<void> {
  const preview = await previewOf(run);
  if (run.isOver) return;
  if (run.approvedDigest === approvalDigest(run, { reason: askReason(run), preview })) return;
  if (run.holdsResources) giveUpKeys(run);
  await (run.approvedDigest === undefined ? askApprover(run) : askAgain(run));
  if (run.isOver) return;
  await waitForKeys(run);
  if (!run.isOver) await confirm(run);
}
