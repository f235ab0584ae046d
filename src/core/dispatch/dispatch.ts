import { messageOf } from "../hooks/call-hook.ts";
import type { ToolResult } from "../tool/result.ts";
import { addNotes } from "./add-notes.ts";
import { afterHooks } from "./after-hooks.ts";
import { approve, refuseCancelled } from "./approve.ts";
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
  confirm, // not tightened, approval fits, tool there
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
  try {
    const acted = walk(run, TO_THE_EFFECT);
    if (acted) await acted;
  } catch (error) {
    endInDefect(run, error);
  }
  const finished = finish(run);
  if (finished) await finished;
  return buildResult(run);
}

const TO_THE_EFFECT: readonly Step[] = [...DECIDE, ...ACT];

/** Takes steps in order while the call is neither over nor cancelled. Undefined when none had to wait. */
export function walk(run: CallRun, steps: readonly Step[], from = 0): Promise<void> | undefined {
  for (let index = from; index < steps.length; index += 1) {
    if (run.outcome !== undefined) return undefined;
    // Here and nowhere else, so that nothing starts after an abort, whatever a step waited for.
    if (run.cancelReason !== undefined && index > 0) {
      refuseCancelled(run);
      return undefined;
    }
    const pending = steps[index]?.(run);
    if (pending) {
      run.hasWaited = true;
      if (index === steps.length - 1) return pending;
      return pending.then(() => walk(run, steps, index + 1));
    }
  }
  return undefined;
}

/** Takes every finishing step, whatever becomes of the one before: none may keep the next from masking or recording. */
function finish(run: CallRun, from = 0): Promise<void> | undefined {
  for (let index = from; index < FINISH.length; index += 1) {
    const pending = takeSafely(run, FINISH[index]);
    if (pending) return pending.then(() => finish(run, index + 1));
  }
  return undefined;
}

function takeSafely(run: CallRun, step: Step | undefined): Promise<void> | undefined {
  try {
    return step?.(run)?.catch((error: unknown) => endInDefect(run, error));
  } catch (error) {
    endInDefect(run, error);
    return undefined;
  }
}

/** A step that throws is a defect of ours; it still ends in one result. */
export function endInDefect(run: CallRun, error: unknown): void {
  const message = messageOf(error);
  run.note(`toolmap has a defect: ${message}`);
  run.refuse("error", `The call could not be carried out because of a defect of the tool layer (${message}).`);
}
