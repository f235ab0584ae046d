import { describePlan, digestPlan } from "../describe-plan.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { withSession } from "../with-session.ts";
import { printPlan } from "./print-plan.ts";
import { showTool } from "./show-tool.ts";

export interface ToolsOptions {
  readonly name: string | undefined;
  readonly all?: boolean;
  readonly hidden?: boolean;
}

/** `toolmap tools [name]`. */
export async function tools(
  { name, all = false, hidden = false }: ToolsOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { out } = context;
  return await withSession(context, {}, async (session) => {
    if (name !== undefined) return await showTool(name, session, out);
    const document = describePlan(session);
    if (out.json) out.document({ ...document, digest: digestPlan(session) });
    else printPlan(document, { all, hidden }, out);
    return EXIT.ok;
  });
}
