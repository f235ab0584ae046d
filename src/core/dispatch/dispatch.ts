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
import type { Step, Waiting } from "./step.ts";
import { releaseKeys, waitForKeys } from "./wait-for-keys.ts";
import { validate } from "./validate.ts";

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
export function dispatch(run: CallRun): Promise<ToolResult> {
  return new Promise((resolve) => {
    run.answer = resolve;
    act(run, 0);
  });
}

const TO_THE_EFFECT: readonly Step[] = [...DECIDE, ...ACT];

/** Takes steps from here on while the call is neither over nor cancelled, then finishes it. One call has one promise. */
function act(run: CallRun, from: number): void {
  try {
    for (let index = from; index < TO_THE_EFFECT.length && !run.isOver; index += 1) {
      // Here and nowhere else, so that nothing starts after an abort, whatever a step waited for.
      if (run.cancelReason !== undefined && index > 0) refuseCancelled(run);
      else {
        const waiting = TO_THE_EFFECT[index]?.(run);
        if (waiting) return goOn(run, waiting, () => act(run, index + 1));
      }
    }
  } catch (error) {
    endInDefect(run, error);
  }
  finish(run, 0);
}

/** Takes every finishing step, whatever becomes of the one before: none may keep the next from masking or recording. */
function finish(run: CallRun, from: number): void {
  for (let index = from; index < FINISH.length; index += 1) {
    try {
      const waiting = FINISH[index]?.(run);
      if (waiting) return goOn(run, waiting, () => finish(run, index + 1));
    } catch (error) {
      endInDefect(run, error);
    }
  }
  run.answer?.(buildResult(run));
}

function goOn(run: CallRun, waiting: Waiting, next: () => void): void {
  run.hasWaited = true;
  waiting.then(next, (error: unknown) => {
    endInDefect(run, error);
    next();
  });
}

/** Takes the deciding steps alone, for whoever asks what would happen. May reject, with a defect of ours. */
export async function decideOnly(run: CallRun): Promise<void> {
  for (const step of DECIDE) {
    if (run.isOver) return;
    await step(run);
  }
}

/** A step that throws is a defect of ours; it still ends in one result. */
export function endInDefect(run: CallRun, error: unknown): void {
  const message = messageOf(error);
  run.note(`toolmap has a defect: ${message}`);
  run.refuse("error", `The call could not be carried out because of a defect of the tool layer (${message}).`);
}
