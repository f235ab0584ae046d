import type { CallRun } from "./call-run.ts";

/** Appends what the model has to know about this result and would not see in the details. */
export function addNotes(run: CallRun): void {
  const late = run.notes?.filter((note) => note.includes("was given up earlier"));
  for (const note of late ?? []) run.content = [...run.content, { type: "text", text: `[note] ${note}` }];
}
