import { describeDiagnostic } from "../describe-plan.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { findUnknown } from "../find-unknown.ts";
import { formatSignature } from "../format-signature.ts";
import type { Output } from "../output/output.ts";
import { reportUnknownTool } from "../output/report-error.ts";
import { visibleLine, visibleText } from "../output/visible-text.ts";
import { resolveToolName } from "../resolve-tool-name.ts";
import { countTokens } from "../token-count.ts";
import type { AgentSession } from "../../core/session/agent-session.ts";
import { clipText } from "../../core/json.ts";
import type { ToolDescriptor } from "../../core/tool/descriptor.ts";
import type { ToolDiagnostic } from "../../core/tool/diagnostic.ts";
import { formatOrigin } from "../../core/tool/owner.ts";

/** What `toolmap tools <name>` says. */
export interface ToolDocument {
  readonly name: string;
  readonly origin: string;
  readonly description: string;
  readonly signature: string;
  readonly tokens: number;
  readonly visible: boolean;
  readonly active: boolean;
  readonly annotations: ToolDescriptor["annotations"];
  readonly inputSchema: ToolDescriptor["inputSchema"];
  readonly outputSchema: ToolDescriptor["outputSchema"];
  readonly diagnostics: readonly Pick<ToolDiagnostic, "reason" | "message" | "source">[];
}

/** `toolmap tools <name>`: one tool, hidden or not. */
export async function showTool(word: string, session: AgentSession, out: Output): Promise<ExitCode> {
  const { hidden } = session.plan();
  const explanation = await session.explain(resolveToolName(word, session));
  // What never entered the Map is known by its exact name alone.
  const descriptor =
    session.tools.get(explanation.name)?.descriptor ??
    hidden.find((entry) => entry.descriptor.name === word)?.descriptor;
  if (!descriptor)
    return reportUnknownTool(findUnknown(explanation) ?? `There is no tool "${clipText(word, 64)}".`, out);
  const document: ToolDocument = {
    name: descriptor.name,
    origin: formatOrigin(descriptor.owner),
    description: descriptor.description,
    signature: formatSignature(descriptor),
    tokens: countTokens(descriptor),
    visible: explanation.visible,
    active: explanation.active,
    annotations: descriptor.annotations,
    inputSchema: descriptor.inputSchema,
    outputSchema: descriptor.outputSchema,
    diagnostics: hidden
      .filter((entry) => entry.descriptor === descriptor)
      .flatMap((entry) => entry.diagnostics)
      .map(describeDiagnostic),
  };
  if (out.json) out.document(document);
  else printTool(document, out);
  return EXIT.ok;
}

function printTool(tool: ToolDocument, out: Output): void {
  const { signature, origin, tokens, visible, active, description, diagnostics, inputSchema } = tool;
  const state = visible ? (active ? "visible, active" : "visible, not active") : "hidden";
  out.line(out.paint("bold", visibleLine(signature)));
  out.line(`${visibleLine(origin)}, ~${tokens} tokens, ${state}`);
  for (const { reason, message, source } of diagnostics) {
    out.line(
      `${out.paint("yellow", "hidden")}: ${reason}: ${visibleLine(message)}${source === undefined ? "" : ` (${visibleLine(source)})`}`,
    );
  }
  out.line();
  out.line(visibleText(description));
  out.line();
  out.line(visibleText(JSON.stringify(inputSchema, undefined, 2)));
}
