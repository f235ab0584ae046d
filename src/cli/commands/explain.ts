import type { Explanation, TraceStep, Verdict } from "../../core/dispatch/explanation.ts";
import { isRecord } from "../../core/json.ts";
import type { CallerKind } from "../caller-kind.ts";
import type { CommandContext } from "../command-context.ts";
import { ToolmapError } from "../../core/errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { findUnknown } from "../find-unknown.ts";
import { inputPorts } from "../input/input-ports.ts";
import { readCallInput } from "../input/read-call-input.ts";
import { withSession } from "../with-session.ts";
import { layoutTable } from "../output/layout-table.ts";
import type { Output, Style } from "../output/output.ts";
import { reportUnknownTool } from "../output/report-error.ts";
import { visibleLine } from "../output/visible-text.ts";
import { resolveToolName } from "../resolve-tool-name.ts";

export interface ExplainOptions {
  readonly name: string;
  readonly words: readonly string[];
  readonly as: CallerKind;
}

/** `toolmap explain <tool> [input]`. */
export async function explain({ name, words, as }: ExplainOptions, context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  const input = await readCallInput(words, inputPorts(context));
  if (input !== undefined && !isRecord(input)) {
    throw new ToolmapError("usage", "The input of a call is a JSON object.", { fix: "Write { … } or key=value." });
  }
  return await withSession(context, {}, async (session) => {
    const explanation = await session.explain(resolveToolName(name, session), input, { as });
    const unknown = findUnknown(explanation);
    if (unknown !== undefined) return reportUnknownTool(unknown, out);
    if (out.json) out.document(explanation);
    else printExplanation(explanation, out);
    return EXIT.ok;
  });
}

function printExplanation({ name, origin, visible, active, verdict, trace, fix }: Explanation, out: Output): void {
  const state = visible ? (active ? "visible" : "visible, not active") : "hidden";
  const head = `${out.paint("bold", visibleLine(name))}  ${visibleLine(origin)}, ${state}: `;
  out.line(head + out.paint(STYLES[verdict], SENTENCES[verdict]));
  const rows = trace.map((step) => [step.stage, step.verdict, describeStep(step)]);
  for (const line of layoutTable(rows, { columns: [{}, {}, {}], indent: 2 })) out.line(line);
  if (fix !== undefined) out.line(`${out.paint("cyan", "fix")}: ${visibleLine(fix)}`);
}

function describeStep({ message, rule, source }: TraceStep): string {
  const place = [rule, source].filter((part) => part !== undefined && !message.includes(part)).join(", ");
  return visibleLine(place === "" ? message : `${message} (${place})`);
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
