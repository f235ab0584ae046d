import type { PlanDocument } from "../describe-plan.ts";
import { layoutTable } from "../output/layout-table.ts";
import type { Output } from "../output/output.ts";
import { visibleLine } from "../output/visible-text.ts";
import { formatTokens } from "../token-count.ts";

/** A plan as tables on stdout and the counts on stderr. `all`: hidden and shadowed tools and sources too. */
export function printPlan(
  document: PlanDocument,
  { all, hidden }: { readonly all: boolean; readonly hidden: boolean },
  out: Output,
): void {
  if (!hidden) printVisible(document, out);
  if (hidden || all) printHidden(document, out);
  if (all) printRest(document, out);
  const { visible, tokens } = document;
  const counts = `${visible.length} visible, ${formatTokens(tokens.count)}; ${document.hidden.length} hidden, ${document.shadowed.length} shadowed`;
  const hint = document.hidden.length + document.shadowed.length > 0 && !all ? " (--all shows them)" : "";
  out.words(out.paintWords("dim", counts + hint));
}

function printVisible({ visible }: PlanDocument, out: Output): void {
  const rows = visible.map(({ name, origin, description, tokens }) => [
    visibleLine(name),
    visibleLine(origin),
    `~${tokens}`,
    visibleLine(description),
  ]);
  printRows([["TOOL", "ORIGIN", "TOKENS", "DESCRIPTION"], ...rows], out);
}

function printHidden({ hidden }: PlanDocument, out: Output): void {
  const rows = hidden.flatMap(({ name, origin, diagnostics }) =>
    diagnostics.map(({ reason, message, source }) => [
      visibleLine(name),
      visibleLine(origin),
      reason,
      visibleLine(source === undefined ? message : `${message} (${source})`),
    ]),
  );
  if (rows.length > 0) printRows([["HIDDEN", "ORIGIN", "REASON", "WHY"], ...rows], out);
}

function printRest({ shadowed, sources }: PlanDocument, out: Output): void {
  const rows = shadowed.map(({ name, origin, by }) => [visibleLine(name), visibleLine(origin), visibleLine(by)]);
  if (rows.length > 0) printRows([["SHADOWED", "ORIGIN", "BY"], ...rows], out);
  printRows(
    [
      ["SOURCE", "STATE", ""],
      ...sources.map(({ id, state, message = "" }) => [visibleLine(id), state, visibleLine(message)]),
    ],
    out,
  );
}

/** The first row is the head. */
function printRows(rows: readonly (readonly string[])[], out: Output): void {
  const numbers = rows[0]?.indexOf("TOKENS");
  const columns = (rows[0] ?? []).map((_, at) => ({ align: at === numbers ? ("right" as const) : ("left" as const) }));
  const [head = "", ...lines] = layoutTable(rows, { columns, width: out.width });
  out.line(out.paint("dim", head));
  for (const line of lines) out.line(line);
}
