import { freezeJson } from "../json.ts";
import type { ToolCall } from "../tool/call.ts";
import type { CallRun } from "./call-run.ts";
import { DEEPEST_NESTING } from "./limits.ts";

/** Reports the start, and ends at once what may not start any more. */
export function receive(run: CallRun): void {
  if (!run.trace && !run.isPreparation && run.services.emitter()) reportStart(run);
  if (run.services.isClosed()) {
    run.refuse("cancelled", "The call was not started: session closed.");
  } else if (run.cancelReason !== undefined) {
    run.refuse("cancelled", `The call was not started: ${run.cancelReason}`);
  } else if (run.parent && run.depth > DEEPEST_NESTING) {
    run.refuse("error", `Calls are nested more than ${DEEPEST_NESTING} deep. A tool may be dispatching itself.`);
  }
}

export function reportStart(run: CallRun): void {
  run.emit({
    type: "tool-call-started",
    call: observableCall(run),
    caller: run.caller,
    ...(run.parent ? { parentCallId: run.parent.callId } : {}),
  });
}

/** The call as observers may see it: a copy, so that nobody can reach the caller's object through an event. */
function observableCall({ call, callId }: CallRun): ToolCall {
  const { name, input, truncated, meta } = call;
  return Object.freeze({
    id: callId,
    name,
    input: copyForObservers(input),
    ...(truncated ? { truncated } : {}),
    ...(meta === undefined ? {} : { meta }),
  });
}

function copyForObservers(input: unknown): unknown {
  if (typeof input !== "object" || input === null) return input;
  try {
    return freezeJson(structuredClone(input));
  } catch {
    return undefined;
  }
}
