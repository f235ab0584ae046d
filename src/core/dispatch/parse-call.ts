import { parseInput } from "../schema/parse-input.ts";
import type { CallRun } from "./call-run.ts";

/** Reads the input: a JSON value as it is, raw text as the model wrote it. What was cut off is never repaired into running. */
export function parseCall(run: CallRun): void {
  if (run.call.truncated) {
    run.refuse("truncated", describeTruncation(run.name, "the model's answer ended before the call was complete"));
    return;
  }
  const input = run.call.input === undefined ? preparedInput(run) : run.call.input;
  if (typeof input === "object" && input !== null) {
    run.executeInput = input;
    return;
  }
  const parsed = parseInput(input);
  switch (parsed.kind) {
    case "value":
      run.executeInput = parsed.value;
      if (parsed.repairs && parsed.repairs.length > 0) run.repairs = [...(run.repairs ?? []), ...parsed.repairs];
      return;
    case "truncated":
      run.refuse("truncated", describeTruncation(run.name, parsed.message));
      return;
    case "not-json":
      run.refuse("invalid-input", `The input of "${run.name}" is not JSON: ${parsed.message}`);
      return;
  }
}

/** A call that names only its preparation means the input that was prepared. */
function preparedInput({ options: { approval } }: CallRun): unknown {
  const prepared = approval?.prepared;
  return prepared && "input" in prepared ? prepared.input : undefined;
}

function describeTruncation(name: string, reason: string): string {
  return `The call of "${name}" was cut off (${reason}), so it did not run. Send it again, complete, in smaller pieces if it is long.`;
}
