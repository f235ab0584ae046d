import { readFile } from "node:fs/promises";
import path from "node:path";
import { ToolmapError } from "../../core/errors.ts";
import { clipText } from "../../core/json.ts";
import type { AgentSession } from "../../core/session/agent-session.ts";
import type { SessionEvent } from "../../core/session/event.ts";
import type { RunResult, Stop } from "../../core/session/run.ts";
import { parseScript } from "../../testing/parse-script.ts";
import { type ScriptedModel, scriptedModel } from "../../testing/scripted-model.ts";
import type { SessionStore } from "../../journal/session-store.ts";
import type { CommandContext } from "../command-context.ts";
import { type ExitCode, exitOfRun } from "../exit-code.ts";
import { openStore } from "../open-store.ts";
import { withSession } from "../with-session.ts";
import { findReadable } from "./sessions/find-session.ts";
import type { Output } from "../output/output.ts";
import { resultLine } from "../output/result-line.ts";
import { visibleLine } from "../output/visible-text.ts";
import { terminalApprover } from "../terminal-approver.ts";

export interface RunOptions {
  readonly prompt: string | undefined;
  readonly script?: string;
  /** The session to go on with. */
  readonly session?: string;
  /** Go on with the newest session of this folder. */
  readonly continue?: boolean;
}

/** `toolmap run [prompt] --script FILE [--session ID | -c]`. The session is on record, so that a later run can go on with it. */
export async function run({ prompt, script, ...wanted }: RunOptions, context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  const model = await loadModel(script, context);
  const approver = context.canAsk ? terminalApprover(context) : undefined;
  const store = openStore(context);
  const resumes = await findSession(wanted, { store, cwd: context.cwd });
  const options = { model, approver, isForModel: true, store, resumes };
  return await withSession(context, options, async (session) => {
    await store.ports.journal.append({ type: "opened-in", session: session.id, folder: context.cwd }, { sync: false });
    const result = await play(session, prompt ?? "Play the script.", context);
    if (out.json) out.document({ ...result, sessionId: session.id });
    else if (result.error) out.failure(endOf(result));
    else out.words(endOf(result));
    if (result.stop === "end") warnUnplayed(model, out);
    return exitOfRun(result);
  });
}

/** The id of the session to go on with; undefined for a new one. */
async function findSession(
  { session, continue: goesOn }: Pick<RunOptions, "session" | "continue">,
  { store, cwd }: { readonly store: SessionStore; readonly cwd: string },
): Promise<string | undefined> {
  if (session !== undefined && goesOn === true) {
    throw new ToolmapError("usage", "--session and --continue say two different things.", { fix: "Give one of them." });
  }
  if (session !== undefined) return findReadable(session, await store.list()).id;
  if (goesOn !== true) return undefined;
  for (const { id } of await store.list()) {
    const { entries } = await store.readSession(id);
    if (entries.some(({ type, folder }) => type === "opened-in" && folder === cwd)) return id;
  }
  throw new ToolmapError("unknown-session", "There is no session of this folder to go on with.", {
    fix: "Leave --continue out, or name one with --session; toolmap sessions list shows them.",
  });
}

async function loadModel(script: string | undefined, { cwd }: CommandContext): Promise<ScriptedModel> {
  if (script === undefined) {
    throw new ToolmapError("usage", "run needs a model.", { fix: "Give it a script of turns: --script FILE." });
  }
  return scriptedModel(parseScript(await readScript(path.resolve(cwd, script), script), { source: script }));
}

async function readScript(file: string, shown: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "it cannot be opened";
    throw new ToolmapError("bad-script", `Cannot read the script "${clipText(shown, 200)}": ${reason}.`, { cause });
  }
}

/** Text goes out as it comes, calls as lines on stderr when they end. */
async function play(session: AgentSession, prompt: string, { out, signal }: CommandContext): Promise<RunResult> {
  const run = session.prompt(prompt, { signal });
  if (out.json) return await run;
  let endsLine = true;
  for await (const event of run) {
    if (event.type === "text-delta") {
      out.raw(event.text);
      endsLine = event.text.endsWith("\n");
    } else {
      endsLine = printEvent(event, { out, endsLine });
    }
  }
  if (!endsLine) out.line();
  return await run;
}

function printEvent(
  event: SessionEvent,
  { out, endsLine }: { readonly out: Output; readonly endsLine: boolean },
): boolean {
  if (event.type !== "tool-call-finished" && event.type !== "turn-finished") return endsLine;
  if (!endsLine) out.line();
  if (event.type === "tool-call-finished") out.words(resultLine(event.result, out.paintWords));
  return true;
}

function endOf({ stop, results, error }: RunResult): string {
  const why = error === undefined ? "" : ` ${visibleLine(error.message)}`;
  const calls = results.length === 1 ? "1 call" : `${results.length} calls`;
  return `${calls}; ${ENDS[stop]}${why}`;
}

const ENDS: Readonly<Record<Stop, string>> = {
  end: "the model was done",
  turns: "stopped: too many turns",
  time: "stopped: no time left",
  tokens: "stopped: no tokens left",
  loop: "stopped: it went in circles",
  cancelled: "cancelled",
  "model-error": "the model failed:",
};

/** Turns after one without calls are never reached: a slip of whoever wrote the script. */
function warnUnplayed(model: ScriptedModel, out: Output): void {
  try {
    model.assertPlayed();
  } catch (error) {
    if (error instanceof ToolmapError) out.words(visibleLine(error.message));
  }
}
