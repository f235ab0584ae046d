import { formatAge, formatBytes, formatCount } from "../../output/format-amount.ts";
import { layoutTable } from "../../output/layout-table.ts";
import { visibleLine } from "../../output/visible-text.ts";
import type { SessionDocument } from "./describe-session.ts";

/** Sessions as a table; the first line is the head. */
export function sessionTable(
  sessions: readonly SessionDocument[],
  { now, width, indent = 0 }: { readonly now: number; readonly width: number | undefined; readonly indent?: number },
): readonly string[] {
  const rows = sessions.map(({ id, state, holder, changedAt, lines, bytes, title, problems }) => [
    visibleLine(id),
    [holder ? `${state} (${holder.pid})` : state, ...(problems > 0 ? [formatCount(problems, "problem")] : [])].join(
      ", ",
    ),
    visibleLine(formatAge(changedAt, now)),
    String(lines),
    formatBytes(bytes),
    visibleLine(title),
  ]);
  const columns = HEAD.map((name) => ({ align: NUMBERS.has(name) ? ("right" as const) : ("left" as const) }));
  return layoutTable([HEAD, ...rows], { columns, width, indent });
}

const HEAD = ["ID", "STATE", "CHANGED", "LINES", "SIZE", "TITLE"];
const NUMBERS: ReadonlySet<string> = new Set(["LINES", "SIZE"]);
