import { entranceOf } from "../../core/session/entrance.ts";
import type { ToolResult } from "../../core/tool/result.ts";
import type { CallerKind } from "../caller-kind.ts";
import type { CommandContext } from "../command-context.ts";
import { type ExitCode, exitOfOutcome } from "../exit-code.ts";
import { inputPorts } from "../input/input-ports.ts";
import { readCallInput } from "../input/read-call-input.ts";
import { withSession } from "../with-session.ts";
import { contentText } from "../output/content-text.ts";
import type { Output } from "../output/output.ts";
import { visibleLine, visibleText } from "../output/visible-text.ts";
import { resolveToolName } from "../resolve-tool-name.ts";
import { terminalApprover } from "../terminal-approver.ts";

export interface CallOptions {
  readonly name: string;
  readonly words: readonly string[];
  /** Milliseconds. */
  readonly timeout?: number;
  readonly as?: CallerKind;
}

/** `toolmap call <tool> [input]`. */
export async function call({ name, words, timeout, as }: CallOptions, context: CommandContext): Promise<ExitCode> {
  const { host, out, signal } = context;
  const input = await readCallInput(words, inputPorts(context));
  const kind = as ?? (host.stdin.isTTY === true ? "person" : "program");
  const approver = context.canAsk ? terminalApprover(context) : undefined;
  return await withSession(context, { approver, isForModel: kind === "model" }, async (session) => {
    const result = await entranceOf(session).dispatch(
      { name: resolveToolName(name, session), input: input ?? {} },
      { caller: { kind }, signal, ...(timeout === undefined ? {} : { timeoutMs: timeout }) },
    );
    if (out.json) out.document(result);
    else printResult(result, out);
    return exitOfOutcome(result.outcome);
  });
}

/** What a tool gave is data. What a refused call says is words: nothing was produced. */
function printResult(result: ToolResult, out: Output): void {
  const text = contentText(result);
  const end = text.endsWith("\n") ? "" : "\n";
  if (result.outcome === "ok") out.raw(text + end);
  else out.failure(`${out.paintWords("red", result.outcome)}: ${visibleText(text)}`);
  for (const note of notesOf(result)) out.words(out.paintWords("dim", visibleLine(note)));
}

function notesOf({ details }: ToolResult): readonly string[] {
  const coercions = details?.coercions?.map(({ path, from, to }) => `${path}: ${from} read as ${to}`) ?? [];
  return [...(details?.repairs ?? []), ...coercions, ...(details?.notes ?? [])];
}
