import { isReadOnly } from "../policy/hints.ts";
import type { View, ViewEntry } from "../policy/view.ts";
import type { CallRun } from "./call-run.ts";

/** Ends a call of a tool that may not be called with any input. No hook has run and none will. */
export function gate(run: CallRun): void {
  const { scope, services, found } = run;
  if (found.hidden !== undefined) {
    run.refuse(found.hiddenByPolicy ? "denied" : "unavailable", describeHidden(found));
  } else if (scope.sent ? !scope.sent.has(found.descriptor.name) : !services.isActive(found.descriptor.name)) {
    run.refuse("unavailable", describeInactive(found, scope.sent !== undefined));
  } else if (found.isDown && isStillDown(run)) {
    run.refuse("unavailable", describeDown(services.currentView(), found));
  } else if (run.options.refusal) {
    run.refuse(run.options.refusal.outcome, run.options.refusal.text);
  } else {
    refuseWhileDegraded(run);
  }
}

/** Without a journal that works, only what changes nothing may run; without the session, nothing. */
export function refuseWhileDegraded(run: CallRun): void {
  const degradation = run.services.degradation();
  if (degradation === undefined || (degradation.runsReadOnly && isReadOnly(run.found.descriptor))) return;
  const until = degradation.runsReadOnly ? "so only read-only tools run" : "so nothing runs";
  run.refuse(
    "unavailable",
    `"${run.name}" cannot run: the session is degraded (${degradation.message}), ${until} until it is reopened.`,
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

/** A turn pins no outage: a source that has come back since is asked again. */
function isStillDown({ scope, services, name }: CallRun): boolean {
  const current = services.currentView();
  return current === scope.view || current.entries.get(name)?.isDown !== false;
}

/** Names the source that does not answer now, and what it says of itself. */
export function describeDown({ registry }: View, { descriptor, origin }: ViewEntry): string {
  const { name } = descriptor;
  const source = registry.sources.find(({ id }) => id === registry.down.get(name));
  const said = source?.message === undefined ? "" : `: ${source.message}`;
  const reason = source === undefined ? "" : ` (${source.id}${said})`;
  return `"${name}" is temporarily unavailable: its source (${origin}) does not answer${reason}. It did not run. Try again later or do without it.`;
}
