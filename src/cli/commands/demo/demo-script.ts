import type { JsonObject } from "../../../core/json.ts";
import type { Outcome } from "../../../core/tool/result.ts";
import type { ScriptedTurn } from "../../../testing/scripted-model.ts";

/** A call of the script, with what has to come of it. */
export interface DemoCallPlan {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** What the line shows of the input. */
  readonly subject: string;
  readonly outcome: Outcome;
}

/** One answer of the model. */
export interface DemoTurnPlan {
  readonly title: string;
  readonly calls: readonly DemoCallPlan[];
}

/** The two calls of one answer, of which the second ends first. */
export const SLOW_CALL = "call_tides";
export const QUICK_CALL = "call_search";

/** What the model will do. Commands are not offered on Windows, so it runs none there. */
export function demoTurns(platform: NodeJS.Platform): readonly DemoTurnPlan[] {
  const turns = platform === "win32" ? TURNS.map(withoutCommands) : TURNS;
  return turns.filter(({ calls }) => calls.length > 0);
}

/** The same, as the scripted model plays it: a last answer without calls ends the run. */
export function scriptOf(turns: readonly DemoTurnPlan[]): readonly ScriptedTurn[] {
  const answers = turns.map(({ calls }) => ({ calls: calls.map(({ id, name, input }) => ({ id, name, input })) }));
  return [...answers, { text: FAREWELL }];
}

const FAREWELL =
  "The install section is drafted in drafts/README.md. Deploying is for a person, and billing is back at noon.";

const TURNS: readonly DemoTurnPlan[] = [
  {
    title: "it looks around",
    calls: [
      { id: "call_grep", name: "grep", input: { pattern: "TODO" }, subject: "TODO", outcome: "ok" },
      { id: "call_read", name: "read", input: { path: "README.md" }, subject: "README.md", outcome: "ok" },
    ],
  },
  {
    title: "it changes a file, and runs a command",
    calls: [
      {
        id: "call_edit",
        name: "edit",
        input: {
          path: "README.md",
          edits: [{ old: "TODO: say how to install it.", new: "    npm install --global tidepool" }],
        },
        subject: "README.md",
        outcome: "ok",
      },
      {
        id: "call_exec",
        name: "exec",
        input: { command: "grep -c TODO README.md drafts/README.md" },
        subject: "grep -c TODO README.md …",
        outcome: "ok",
      },
    ],
  },
  {
    title: "it tries what it may not, and what fails",
    calls: [
      { id: "call_deploy", name: "deploy", input: { target: "production" }, subject: "production", outcome: "denied" },
      { id: "call_billing", name: "fetch_status", input: { service: "billing" }, subject: "billing", outcome: "error" },
    ],
  },
  {
    title: "two calls at once",
    calls: [
      { id: SLOW_CALL, name: "fetch_status", input: { service: "tides" }, subject: "tides", outcome: "ok" },
      { id: QUICK_CALL, name: "fetch_status", input: { service: "search" }, subject: "search", outcome: "ok" },
    ],
  },
];

function withoutCommands({ title, calls }: DemoTurnPlan): DemoTurnPlan {
  return { title, calls: calls.filter(({ name }) => name !== "exec") };
}
