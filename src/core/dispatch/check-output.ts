import { checkValue } from "../schema/check-value.ts";
import type { CallRun } from "./call-run.ts";

/**
 * Checks structured output against the tool's own schema. The tool has acted, so content and outcome stay; what does not
 * fit is left out, with a note.
 */
export function checkOutput(run: CallRun): void {
  const schema = run.entry?.descriptor.outputSchema;
  if (schema === undefined || run.outcome !== "ok" || !run.raw) return;
  if (run.structuredContent === undefined) {
    run.note(`"${run.name}" declares an output schema and returned no structured output`);
    return;
  }
  const checked = checkValue(schema, run.structuredContent, { coerce: false });
  if (checked.ok) return;
  const [issue] = checked.issues;
  run.structuredContent = undefined;
  run.note(
    `the structured output of "${run.name}" does not fit its output schema${issue ? ` (${issue.path || "the whole output"}: expected ${issue.expected})` : ""} and was left out`,
  );
}
