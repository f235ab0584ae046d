import { type CallLimits, DEFAULT_CALL_LIMITS } from "../dispatch/limits.ts";
import type { ViewGates } from "../policy/view.ts";
import { canonicalToolName } from "../tool/name.ts";
import type { Limits, SessionOptions } from "./agent-session.ts";
import type { LoopLimits } from "./run-loop.ts";

/** Every bound of a call, given or default. */
export function resolveCallLimits(limits: Limits = {}): CallLimits {
  const { toolMs, hookMs, approvalMs, keyWaitMs, journalMs, graceMs, resultBytes } = {
    ...DEFAULT_CALL_LIMITS,
    ...defined(limits),
  };
  return Object.freeze({ toolMs, hookMs, approvalMs, keyWaitMs, journalMs, graceMs, resultBytes });
}

const DEFAULT_TURNS = 50;

/** The bounds of a prompt. */
export function resolveLoopLimits({ turns = DEFAULT_TURNS, timeMs, tokens }: Limits = {}): LoopLimits {
  return Object.freeze({ turns, timeMs, tokens });
}

export function resolveGates({ disableBuiltInTools = false, allowedToolNames }: SessionOptions): ViewGates {
  const allowed = allowedToolNames && new Set(allowedToolNames.map(canonicalToolName));
  return Object.freeze({ disableBuiltInTools, allowedToolNames: allowed });
}

function defined(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
