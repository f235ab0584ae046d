import { isRecord } from "../../core/json.ts";
import type { CallerKind } from "../caller-kind.ts";
import type { CommandContext } from "../command-context.ts";
import { ToolmapError } from "../../core/errors.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { findUnknown } from "../find-unknown.ts";
import { inputPorts } from "../input/input-ports.ts";
import { readCallInput } from "../input/read-call-input.ts";
import { withSession } from "../with-session.ts";
import { reportUnknownTool } from "../output/report-error.ts";
import { printExplanation } from "./print-explanation.ts";
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
