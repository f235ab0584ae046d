import type { Explanation, TraceStep, Verdict } from "../../core/dispatch/explanation.ts";
import { layoutTable } from "../output/layout-table.ts";
import type { Output, Style } from "../output/output.ts";
import { visibleLine } from "../output/visible-text.ts";

/** What each stage says, as lines. */
export function printExplanation(
  { name, origin, visible, active, verdict, trace, fix }: Explanation,
  out: Output,
): void {
  const state = visible ? (active ? "visible" : "visible, not active") : "hidden";
  const head = `${out.paint("bold", visibleLine(name))}  ${visibleLine(origin)}, ${state}: `;
  out.line(head + out.paint(STYLES[verdict], SENTENCES[verdict]));
  const rows = trace.flatMap(rowsOf);
  for (const line of layoutTable(rows, { columns: [{}, {}, {}], indent: 2 })) out.line(line);
  if (fix !== undefined) out.line(`${out.paint("cyan", "fix")}: ${visibleLine(fix)}`);
}

/** A message of several lines takes as many rows. */
function rowsOf({ stage, verdict, message, rule, source }: TraceStep): readonly (readonly string[])[] {
  const place = [rule, source].filter((part) => part !== undefined && !message.includes(part)).join(", ");
  const [first = "", ...rest] = (place === "" ? message : `${message} (${place})`).split("\n").map(visibleLine);
  return [[stage, verdict, first], ...rest.map((line) => ["", "", line])];
}

const SENTENCES: Readonly<Record<Explanation["verdict"], string>> = {
  allow: "would run",
  ask: "would ask first",
  deny: "would not run",
  depends: "depends on a hook",
};

const STYLES: Readonly<Record<Verdict, Style>> = {
  pass: "green",
  allow: "green",
  ask: "yellow",
  depends: "yellow",
  hide: "red",
  deny: "red",
};
