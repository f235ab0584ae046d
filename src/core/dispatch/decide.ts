import type { PolicyDecision } from "../policy/policy.ts";
import { decideEntry } from "../policy/view.ts";
import type { CallRun } from "./call-run.ts";

/** The policy's answer on the final input, with what the hooks asked for. */
export function decide(run: CallRun): void {
  const decision = decideEntry(run.scope.view, run.found, run.caller);
  run.decision = decision;
  if (decision.verdict === "deny") run.refuse("denied", describeDenial(run.name, decision));
  else if (run.prepared) adoptHookAsks(run, run.prepared.reason);
}

/** The hooks of a prepared call do not run again: what they asked is the part of its reason that the policy did not say. */
function adoptHookAsks(run: CallRun, reason: string): void {
  const policy = policyReason(run);
  if (run.prepared?.verdict !== "ask" || !reason.startsWith(policy)) return;
  const asked = reason.slice(policy.length).replace(/^; /, "");
  if (asked !== "") run.hookAsks = [asked];
}

/** Whether somebody has to approve this call: a written ask, a default, or a hook's, which binds all but a person. */
export function mustAsk(run: CallRun): boolean {
  if (run.decision?.verdict === "ask") return true;
  return run.hookAsks !== undefined && run.caller.kind !== "person";
}

export function describeDenial(name: string, { message, fix }: PolicyDecision): string {
  const reason = `"${name}" is denied: ${message}`;
  return fix === undefined ? reason : `${reason} To change that: ${fix}.`;
}

/** Why somebody is asked: the policy's sentence, then each hook's. Part of the approval's digest. */
export function askReason(run: CallRun): string {
  const policy = policyReason(run);
  return run.hookAsks ? [policy, ...run.hookAsks].filter((part) => part !== "").join("; ") : policy;
}

export function policyReason(run: CallRun): string {
  return run.decision?.verdict === "ask" ? run.decision.message : "";
}
