import { isPromiseLike } from "../json.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { AUTHOR_VALIDATE, type AuthorIssue, type AuthorValidation } from "../tool/tool.ts";
import type { CallRun } from "./call-run.ts";

/** The author's own validation, once, on the final input. Its value is what `execute` receives. */
export function validate(run: CallRun): void | Promise<void> {
  const check = run.tool[AUTHOR_VALIDATE];
  if (check === undefined || run.input === undefined) return undefined;
  if (run.trace && run.call.input === undefined) return undefined;
  try {
    const validation = check(run.input);
    if (!isPromiseLike(validation)) return applyValidation(run, validation);
    return awaitValidation(run, validation);
  } catch (error) {
    return refuseBroken(run, error);
  }
}

async function awaitValidation(run: CallRun, work: PromiseLike<AuthorValidation>): Promise<void> {
  const { toolMs } = run.services.limits;
  const waited = await run.waitFor(work, run.tool.timeoutMs ?? toolMs);
  switch (waited.kind) {
    case "settled":
      applyValidation(run, waited.value);
      return;
    case "failed":
      refuseBroken(run, waited.error);
      return;
    case "timed-out":
      run.refuse("timed-out", `"${run.name}" did not run: its own validation gave no answer in time.`);
      return;
    case "cancelled":
      run.refuse("cancelled", `The call was cancelled before it ran: ${run.cancelReason ?? "aborted"}`);
  }
}

function applyValidation(run: CallRun, validation: AuthorValidation): void {
  if (validation.issues === undefined) {
    run.executeInput = validation.value;
    return;
  }
  const lines = validation.issues.slice(0, SHOWN_ISSUES).map((issue) => `- ${formatPath(issue)}: ${issue.message}`);
  const more = validation.issues.length - lines.length;
  run.refuse(
    "invalid-input",
    [`The input of "${run.name}" is not valid:`, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n"),
  );
}

const SHOWN_ISSUES = 10;

function formatPath({ path = [] }: AuthorIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  return keys.length === 0 ? "(the whole input)" : keys.join(".");
}

function refuseBroken(run: CallRun, error: unknown): void {
  run.refuse("error", `"${run.name}" did not run: its own validation failed (${messageOf(error)}).`);
}
