import type { AgentSession } from "../../../core/session/agent-session.ts";
import type { Outcome, ToolResult } from "../../../core/tool/result.ts";
import { contentText } from "../../output/content-text.ts";
import type { DemoCallPlan, DemoTurnPlan } from "./demo-script.ts";

/** A call as the demo shows it. */
export interface DemoCall {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly outcome: Outcome | "missing";
  readonly expected: Outcome;
  readonly said: string;
  readonly source?: string;
  readonly fix?: string;
  readonly durationMs?: number;
}

export interface TellOptions {
  readonly turns: readonly DemoTurnPlan[];
  readonly session: Pick<AgentSession, "explain">;
  readonly results: readonly ToolResult[];
  readonly redirected: ReadonlyMap<string, string>;
}

/** Sets the results beside the script, in call order, each in a few words. */
export async function tellCalls({
  turns,
  ...options
}: TellOptions): Promise<readonly { readonly title: string; readonly calls: readonly DemoCall[] }[]> {
  return await Promise.all(
    turns.map(async ({ title, calls }) => ({
      title,
      calls: await Promise.all(calls.map(async (call) => await tellCall(call, options))),
    })),
  );
}

async function tellCall(
  call: DemoCallPlan,
  { session, results, redirected }: Omit<TellOptions, "turns">,
): Promise<DemoCall> {
  const { id, name, subject, outcome: expected } = call;
  const result = results.find(({ callId }) => callId === id);
  if (!result) return { id, name, subject, outcome: "missing", expected, said: "it never came back" };
  const path = redirected.get(id);
  const denial = result.outcome === "denied" ? await findRule(call, session) : undefined;
  return {
    id,
    name,
    subject,
    outcome: result.outcome,
    expected,
    said: denial?.rule ?? (path === undefined ? summarise(result) : `a hook sent it to ${path}`),
    ...(denial?.source === undefined ? {} : { source: denial.source }),
    ...(denial?.fix === undefined ? {} : { fix: denial.fix }),
    ...(result.details?.durationMs === undefined ? {} : { durationMs: result.details.durationMs }),
  };
}

interface Denial {
  readonly rule?: string | undefined;
  readonly source?: string | undefined;
  readonly fix?: string | undefined;
}

/** The same answer that `toolmap explain` gives. */
async function findRule({ name, input }: DemoCallPlan, session: TellOptions["session"]): Promise<Denial> {
  const { trace, fix } = await session.explain(name, input);
  const step = trace.find(({ verdict }) => verdict === "deny");
  return { rule: step?.rule, source: step?.source, fix };
}

function summarise(result: ToolResult): string {
  const lines = contentText(result).trim().split("\n");
  switch (result.outcome === "ok" ? result.name : "") {
    case "grep":
      return `${lines.filter((line) => /^[^:]+:\d+: /.test(line)).length} hits`;
    case "read":
      return `${lines.filter((line) => /^\s*\d+→/.test(line)).length} lines`;
    case "exec":
      return lines.filter((line) => /^\S+:\d+$/.test(line)).join(", ");
    default:
      return lines.join(" ");
  }
}
