import { ToolmapError } from "../../../core/errors.ts";
import type { SessionSummary } from "../../../journal/session-summary.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { formatBytes, formatCount } from "../../output/format-amount.ts";
import type { Output } from "../../output/output.ts";
import { visibleLine } from "../../output/visible-text.ts";
import { type Choice, chooseSessions } from "./choose-sessions.ts";
import { confirm } from "./confirm.ts";
import { describeSession } from "./describe-session.ts";
import { openSessions, type Sessions } from "./open-sessions.ts";
import { sessionTable } from "./session-table.ts";

export interface PurgeOptions extends Choice {
  /** Do not ask. */
  readonly yes?: boolean;
}

/** `toolmap sessions purge [ID...] [--older-than TIME] [--keep N] [--yes]`. Fails when a session that was named stays. */
export async function purgeSessions(
  { yes = false, ...choice }: PurgeOptions,
  context: CommandContext,
): Promise<ExitCode> {
  assertUsable(choice, { yes, canAsk: context.canAsk });
  const sessions = openSessions(context);
  const plan = planPurge(choice, { sessions, all: await sessions.store.list() });
  const isWanted = yes || plan.going.length === 0 || (await ask(plan, { sessions, context }));
  const end = isWanted ? await carryOut(plan, { sessions, choice }) : { ...plan, removed: [] };
  if (context.out.json) context.out.document({ removed: end.removed, left: end.left });
  else printPurge(end, { isWanted, out: context.out });
  return isWanted && end.left.some(({ id }) => plan.mayNotStay.has(id)) ? EXIT.failed : EXIT.ok;
}

function assertUsable(
  { ids, olderThan, keep }: Choice,
  { yes, canAsk }: { readonly yes: boolean; readonly canAsk: boolean },
): void {
  if (ids.length === 0 && olderThan === undefined && keep === undefined) {
    throw new ToolmapError("usage", "purge was not told which sessions to remove.", {
      fix: "Give ids, --older-than TIME or --keep COUNT.",
    });
  }
  if (yes || canAsk) return;
  throw new ToolmapError("usage", "purge removes for good, and nobody is there to ask.", {
    fix: "Add --yes to remove without asking.",
  });
}

interface Left {
  readonly id: string;
  readonly why: string;
}

interface Plan {
  readonly going: readonly SessionSummary[];
  readonly left: readonly Left[];
  /** The ids that somebody named, or that are about to go. */
  readonly mayNotStay: ReadonlySet<string>;
}

function planPurge(
  choice: Choice,
  { sessions, all }: { readonly sessions: Sessions; readonly all: readonly SessionSummary[] },
): Plan {
  const { chosen, spared } = chooseSessions(choice, { sessions: all, now: sessions.now() });
  const going: SessionSummary[] = [];
  const left: Left[] = spared.map(({ id }) => ({ id, why: "It is too new to go." }));
  for (const summary of chosen) {
    const holder = sessions.holderOf(summary.id);
    if (holder) left.push({ id: summary.id, why: `It is open in process ${holder.pid}.` });
    else going.push(summary);
  }
  const named = choice.ids.length === 0 ? going : [...chosen, ...spared];
  return { going, left, mayNotStay: new Set(named.map(({ id }) => id)) };
}

async function ask(
  { going }: Plan,
  { sessions, context }: { readonly sessions: Sessions; readonly context: CommandContext },
): Promise<boolean> {
  const { out, host } = context;
  const shown = going.map((summary) => describeSession(summary, undefined));
  for (const line of sessionTable(shown, { now: sessions.now(), width: host.stderr.columns })) out.failure(line);
  const bytes = going.reduce((sum, each) => sum + each.bytes, 0);
  return await confirm(`Remove ${formatCount(going.length, "session")}, ${formatBytes(bytes)}?`, context);
}

interface PurgeEnd {
  readonly removed: readonly { readonly id: string; readonly bytes: number }[];
  readonly left: readonly Left[];
}

/** Exactly those that were shown. One that was added to meanwhile is looked at again. */
async function carryOut(
  { going, left }: Plan,
  { sessions, choice }: { readonly sessions: Sessions; readonly choice: Choice },
): Promise<PurgeEnd> {
  const purge = await sessions.store.purge({
    ids: going.map(({ id }) => id),
    isLocked: () => false,
    ...(choice.olderThan === undefined ? {} : { olderThanMs: choice.olderThan }),
  });
  return { removed: purge.removed, left: [...left, ...purge.left] };
}

function printPurge(
  { removed, left }: PurgeEnd,
  { isWanted, out }: { readonly isWanted: boolean; readonly out: Output },
): void {
  for (const { id } of removed) out.line(`removed  ${visibleLine(id)}`);
  for (const { id, why } of left) out.line(`left     ${visibleLine(id)}  ${visibleLine(why)}`);
  out.words(isWanted ? `${formatCount(removed.length, "session")} removed.` : "Nothing was removed.");
}
