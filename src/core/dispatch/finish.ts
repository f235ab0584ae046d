import { freezeJson } from "../json.ts";
import type { Content } from "../tool/content.ts";
import type { ResultDetails, ToolResult } from "../tool/result.ts";
import type { CallRun } from "./call-run.ts";
import { NO_OUTPUT } from "./normalise-output.ts";

/** The frozen result. Reports the end, exactly once. */
export function buildResult(run: CallRun): ToolResult {
  const result = run.recorded ?? freezeResult(run);
  run.dispatcher.finish(run, result);
  if (run.services.emitter()) run.emit({ type: "tool-call-finished", result, caller: run.caller });
  return result;
}

function freezeResult(run: CallRun): ToolResult {
  const { outcome = "error", structuredContent } = run;
  const { callId, name } = run;
  const isError = outcome !== "ok";
  const content = frozenContent(run);
  const details = detailsOf(run);
  if (structuredContent === undefined) return Object.freeze({ callId, name, outcome, isError, content, details });
  return Object.freeze({ callId, name, outcome, isError, content, structuredContent, details });
}

/** Frozen once, for the after-hooks or for the result: freezing an array is among the dearest things of a call. */
export function frozenContent(run: CallRun): readonly Content[] {
  if (run.content !== run.frozenContent) run.frozenContent = run.content = freezeContent(run.content);
  return run.content;
}

function freezeContent(content: readonly Content[]): readonly Content[] {
  if (content.length === 0) return NOTHING;
  for (const block of content) {
    if (block.type === "text" && block.annotations === undefined && block._meta === undefined) Object.freeze(block);
    else freezeJson(block);
  }
  return Object.freeze(content);
}

const NOTHING: readonly Content[] = freezeJson([{ type: "text", text: NO_OUTPUT }]);

/** For programs and people. */
export function detailsOf(run: CallRun): ResultDetails {
  const durationMs = run.clock.now() - run.startedAt;
  const { coercions, repairs, approval, answeredBy, spilled, notes } = run;
  if (!(coercions ?? repairs ?? approval ?? spilled ?? notes))
    return DURATIONS[durationMs] ?? Object.freeze({ durationMs });
  return Object.freeze({
    ...(coercions === undefined ? {} : { coercions }),
    ...(repairs === undefined ? {} : { repairs }),
    ...(approval === undefined ? {} : { approval }),
    ...(answeredBy === undefined ? {} : { answeredBy }),
    ...(spilled === undefined ? {} : { spill: spilled }),
    ...(notes === undefined ? {} : { notes }),
    durationMs,
  });
}

/** Shared by results that have nothing else to say, since a transcript keeps every one of them. */
const DURATIONS: readonly ResultDetails[] = Array.from({ length: 100 }, (_, durationMs) =>
  Object.freeze({ durationMs }),
);
