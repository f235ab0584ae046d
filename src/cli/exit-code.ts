import type { ErrorCode } from "../core/errors.ts";
import type { RunResult } from "../core/session/run.ts";
import type { Outcome } from "../core/tool/result.ts";

/** How the process ends. The one table; the documentation shows the same rows. */
export const EXIT = {
  ok: 0,
  /** The tool or the model failed, or a defect of toolmap. */
  failed: 1,
  /** The command line, the configuration or the script cannot be used. */
  usage: 2,
  /** A call was refused: denied, blocked, rejected or unavailable. */
  refused: 3,
  unknownTool: 4,
  invalidInput: 5,
  /** Turns, time, tokens or the loop guard stopped a run. */
  limit: 6,
  timedOut: 124,
  cancelled: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The exit code of `call`. */
export function exitOfOutcome(outcome: Outcome): ExitCode {
  return OUTCOMES[outcome];
}

/** The exit code of `run`: a limit comes before a refusal. */
export function exitOfRun({ stop, results }: Pick<RunResult, "stop" | "results">): ExitCode {
  if (stop !== "end") return STOPS[stop];
  return results.some(({ outcome }) => exitOfOutcome(outcome) === EXIT.refused) ? EXIT.refused : EXIT.ok;
}

/** The exit code of what was thrown. */
export function exitOfError(code: ErrorCode): ExitCode {
  return code === "internal" ? EXIT.failed : EXIT.usage;
}

const OUTCOMES: Readonly<Record<Outcome, ExitCode>> = {
  ok: EXIT.ok,
  error: EXIT.failed,
  interrupted: EXIT.failed,
  denied: EXIT.refused,
  blocked: EXIT.refused,
  rejected: EXIT.refused,
  unavailable: EXIT.refused,
  "unknown-tool": EXIT.unknownTool,
  "invalid-input": EXIT.invalidInput,
  truncated: EXIT.invalidInput,
  "timed-out": EXIT.timedOut,
  cancelled: EXIT.cancelled,
};

const STOPS: Readonly<Record<Exclude<RunResult["stop"], "end">, ExitCode>> = {
  "model-error": EXIT.failed,
  turns: EXIT.limit,
  time: EXIT.limit,
  tokens: EXIT.limit,
  loop: EXIT.limit,
  cancelled: EXIT.cancelled,
};
