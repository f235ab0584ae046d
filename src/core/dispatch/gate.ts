import { isReadOnly } from "../policy/hints.ts";
import type { ViewEntry } from "../policy/view.ts";
import type { CallRun } from "./call-run.ts";

/** Ends a call of a tool that may not be called with any input. No hook has run and none will. */
export function gate(run: CallRun): void {
  const { scope, services, found } = run;
  if (found.hidden !== undefined) {
    run.refuse(found.hiddenByPolicy ? "denied" : "unavailable", describeHidden(found));
  } else if (scope.sent ? !scope.sent.has(found.descriptor.name) : !services.isActive(found.descriptor.name)) {
    run.refuse("unavailable", describeInactive(found, scope.sent !== undefined));
  } else if (found.isDown) {
    run.refuse("unavailable", describeDown(run, found));
  } else if (run.options.refusal) {
    run.refuse(run.options.refusal.outcome, run.options.refusal.text);
  } else {
    refuseWhileDegraded(run);
  }
}

/** Without a journal that works, only what changes nothing may run. */
export function refuseWhileDegraded(run: CallRun): void {
  const degradation = run.services.degradation();
  if (degradation === undefined || isReadOnly(run.found.descriptor)) return;
  run.refuse(
    "unavailable",
    `"${run.name}" cannot run: the session is degraded (${degradation}), so only read-only tools run until it is reopened.`,
  );
}

/** What a hidden tool answers: every reason, in words. */
export function describeHidden({ descriptor, hidden, hiddenByPolicy }: ViewEntry): string {
  const reasons = hidden?.diagnostics.map(({ message, source }) =>
    source === undefined || message.includes(source) ? message : `${message} (${source})`,
  );
  const verb = hiddenByPolicy ? "is denied" : "is not available";
  return `"${descriptor.name}" ${verb}: ${reasons?.join("; ") ?? "hidden"}`;
}

function describeInactive({ descriptor }: ViewEntry, isTurn: boolean): string {
  return isTurn
    ? `"${descriptor.name}" was not among the tools sent with this request. Call one that was.`
    : `"${descriptor.name}" is not active in this conversation.`;
}

function describeDown(run: CallRun, { descriptor, origin }: ViewEntry): string {
  const down = run.scope.view.plan.sources.filter(({ state }) => state === "down");
  const reasons = down.map(({ id, message }) => (message === undefined ? id : `${id}: ${message}`)).join("; ");
  return `"${descriptor.name}" is temporarily unavailable: its source (${origin}) does not answer${reasons && ` (${reasons})`}. Try again later or do without it.`;
}
