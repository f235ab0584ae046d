import type { ToolResult } from "../tool/result.ts";
import { addNotes } from "./add-notes.ts";
import { afterHooks } from "./after-hooks.ts";
import { approve } from "./approve.ts";
import { beforeHooks } from "./before-hooks.ts";
import type { CallRun } from "./call-run.ts";
import { capOutput } from "./cap-output.ts";
import { checkInput } from "./check-input.ts";
import { checkOutput } from "./check-output.ts";
import { confirm } from "./confirm.ts";
import { decide } from "./decide.ts";
import { declareKeys } from "./declare-keys.ts";
import { execute } from "./execute.ts";
import { buildResult } from "./finish.ts";
import { gate } from "./gate.ts";
import { lookUp } from "./look-up.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { normaliseOutput } from "./normalise-output.ts";
import { parseCall } from "./parse-call.ts";
import { receive } from "./receive.ts";
import { recordIntent, recordOutcome } from "./record.ts";
import { releaseKeys, waitForKeys } from "./wait-for-keys.ts";
import { validate } from "./validate.ts";

/** A step returns nothing, or a promise when it has to wait. `run.refuse` in it ends the call. */
export type Step = (run: CallRun) => void | Promise<void>;

/** What is to be done with this call: nobody has been asked and nothing has run. */
export const DECIDE: readonly Step[] = [
  receive,
  lookUp,
  gate,
  parseCall,
  checkInput,
  beforeHooks, // checks again after each change
  decide, // policy, on the final input
  validate, // the author's own
  declareKeys,
];

/** From the verdict to the effect. */
const ACT: readonly Step[] = [
  approve, // outside the lock
  waitForKeys,
  confirm, // not aborted, not tightened, approval fits, tool there
  recordIntent,
  execute, // the only step that runs a tool
];

/** From whatever came of it to the result. */
const FINISH: readonly Step[] = [
  releaseKeys,
  normaliseOutput,
  afterHooks,
  checkOutput,
  maskSecrets,
  capOutput,
  addNotes, // loop guard, late holders
  recordOutcome,
];

/** One call from start to result. Never rejects: every failure is a result that the model can read. */
export async function dispatch(run: CallRun): Promise<ToolResult> {
  const stopped = walk(run, DECIDE, 0);
  if (stopped) await stopped;
  const acted = walk(run, ACT, 0);
  if (acted) await acted;
  for (const step of FINISH) {
    const pending = attempt(run, step);
    if (pending) await pending;
  }
  return buildResult(run);
}

/** Takes steps in order until the call is over. Undefined when none of them had to wait. */
export function walk(run: CallRun, steps: readonly Step[], from: number): Promise<void> | undefined {
  for (let index = from; index < steps.length; index += 1) {
    if (run.isOver) return undefined;
    const step = steps[index];
    const pending = step && attempt(run, step);
    if (pending) return pending.then(() => walk(run, steps, index + 1));
  }
  return undefined;
}

/** A step that throws is a defect of ours; it still ends in one result. */
function attempt(run: CallRun, step: Step): Promise<void> | undefined {
  try {
    return step(run)?.catch((error: unknown) => fail(run, error)) ?? undefined;
  } catch (error) {
    fail(run, error);
    return undefined;
  }
}

function fail(run: CallRun, error: unknown): void {
  const message = error instanceof Error ? error.message : "unknown";
  run.note(`toolmap has a defect: ${message}`);
  run.refuse("error", `The call could not be carried out because of a defect of the tool layer (${message}).`);
}
