import { readFile } from "node:fs/promises";
import path from "node:path";
import { builtinTools } from "../../../builtin/builtin-tools.ts";
import { parsePolicyFile } from "../../../config/policy-file.ts";
import type { AgentSession } from "../../../core/session/agent-session.ts";
import { createAgentSession } from "../../../core/session/create-agent-session.ts";
import type { RunResult } from "../../../core/session/run.ts";
import type { ToolResult } from "../../../core/tool/result.ts";
import { scriptedModel } from "../../../testing/scripted-model.ts";
import { describePlan, type PlanDocument } from "../../describe-plan.ts";
import { type AnthropicMessage, encodeTranscript } from "./anthropic-transcript.ts";
import { DEMO_POLICY_FILE } from "./demo-files.ts";
import { withDemoFolder } from "./demo-folder.ts";
import { demoTurns, QUICK_CALL, scriptOf } from "./demo-script.ts";
import { createDemoTools } from "./demo-tools.ts";
import { createDraftsHook, type DraftsHook } from "./drafts-hook.ts";
import { type DemoCall, tellCalls } from "./tell-calls.ts";

/** All that the demo shows. JSON. */
export interface DemoReport {
  readonly plan: Pick<PlanDocument, "visible" | "hidden" | "tokens">;
  readonly turns: readonly { readonly title: string; readonly calls: readonly DemoCall[] }[];
  /** Call ids in the order in which their results were there. */
  readonly finished: readonly string[];
  /** As a provider gets it after the last call, in Anthropic's shape. */
  readonly transcript: readonly AnthropicMessage[];
  readonly text: string;
  readonly stop: RunResult["stop"];
  /** What did not go as the script says; empty when all went well. */
  readonly surprises: readonly string[];
}

/** Plays the script in a temporary folder, on real files with real tools. */
export async function playDemo({ signal }: { readonly signal: AbortSignal }): Promise<DemoReport> {
  return await withDemoFolder(async (folder) => {
    const turns = demoTurns(process.platform);
    const model = scriptedModel(scriptOf(turns));
    const own = createDemoTools();
    const drafts = createDraftsHook();
    const session = await openDemoSession(folder, { model, tools: own.tools, drafts });
    try {
      const finished = watchResults(session, own.answerSlow);
      const run = await session.prompt("Which parts of the README are missing? Draft them.", { signal });
      const calls = await tellCalls({ turns, session, results: run.results, redirected: drafts.redirected });
      return {
        plan: describePlan(session),
        turns: calls,
        finished: finished.map(({ callId }) => callId),
        transcript: encodeTranscript(model.requests.at(-1)?.messages ?? []),
        text: run.text,
        stop: run.stop,
        surprises: [...surprisesOf(run, calls), ...(await checkFiles(folder))],
      };
    } finally {
      await session.close();
    }
  });
}

interface DemoSessionOptions {
  readonly model: ReturnType<typeof scriptedModel>;
  readonly tools: ReturnType<typeof createDemoTools>["tools"];
  readonly drafts: DraftsHook;
}

/** A session as any program opens one. The facts are the demo's own, so that it looks the same everywhere. */
async function openDemoSession(folder: string, { model, tools, drafts }: DemoSessionOptions): Promise<AgentSession> {
  const rules = await readFile(path.join(folder, DEMO_POLICY_FILE), "utf8");
  const { layers, places } = parsePolicyFile(rules, { file: DEMO_POLICY_FILE });
  return await createAgentSession({
    sources: [builtinTools({ root: folder })],
    tools,
    model,
    policy: layers,
    hooks: [drafts.hook],
    availability: { env: {} },
    limits: { turns: 10, toolMs: 20_000 },
    ports: { places },
  });
}

function watchResults(session: AgentSession, answerSlow: () => void): readonly ToolResult[] {
  const finished: ToolResult[] = [];
  session.observe((event) => {
    if (event.type !== "tool-call-finished") return;
    finished.push(event.result);
    if (event.result.callId === QUICK_CALL) answerSlow();
  });
  return finished;
}

function surprisesOf({ stop, error }: RunResult, turns: DemoReport["turns"]): readonly string[] {
  const calls = turns.flatMap((turn) => turn.calls).filter(({ outcome, expected }) => outcome !== expected);
  return [
    ...(stop === "end" ? [] : [`the run stopped with ${stop}${error === undefined ? "" : `: ${error.message}`}`]),
    ...calls.map(
      ({ name, subject, outcome, expected, said }) => `${name} ${subject} was ${outcome}, not ${expected}: ${said}`,
    ),
  ];
}

/** The edit is in the draft, and the owner's file is as it was. */
async function checkFiles(folder: string): Promise<readonly string[]> {
  const [own, draft] = await Promise.all(
    ["README.md", "drafts/README.md"].map(async (file) => await readFile(path.join(folder, file), "utf8")),
  );
  const marker = "npm install";
  return [
    ...(own?.includes(marker) === true ? ["README.md was changed"] : []),
    ...(draft?.includes(marker) === true ? [] : ["drafts/README.md was not changed"]),
  ];
}
