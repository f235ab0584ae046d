import { equalJson, isRecord, type JsonObject } from "../json.ts";
import { checkValue } from "../schema/check-value.ts";
import { isSchemaEngineLoaded, loadSchemaEngine } from "../schema/compile-schema.ts";
import { formatIssues } from "../schema/issue.ts";
import { digestIsOfInput } from "./approval-digest.ts";
import type { CallRun } from "./call-run.ts";

/** Checks the parsed value against the author's schema; coerces only on failure. Its product is the input. */
export function checkInput(run: CallRun): void | Promise<void> {
  if (isSchemaEngineLoaded()) return checkParsed(run);
  return loadSchemaEngine().then(() => checkParsed(run));
}

function checkParsed(run: CallRun): void {
  const input = checkedInputOf(run, run.executeInput);
  if (input === undefined) return;
  setInput(run, input);
  run.originalInput = input;
  adoptPreparation(run, input);
  if (run.options.once === true) answerWithRecorded(run, input);
}

/** The value as a frozen input of our own, or undefined after the call was refused. */
export function checkedInputOf(run: CallRun, value: unknown, changedBy?: string): JsonObject | undefined {
  const checked = checkValue(run.found.descriptor.inputSchema, value);
  if (!checked.ok) {
    const issues = formatIssues(run.name, checked.issues);
    run.refuse(
      "invalid-input",
      changedBy === undefined ? issues : `${changedBy} gave an input that does not fit. ${issues}`,
    );
    return undefined;
  }
  if (!isRecord(checked.value)) {
    run.refuse("invalid-input", `The input of "${run.name}" must be a JSON object.`);
    return undefined;
  }
  if (checked.coercions.length > 0) run.coercions = [...(run.coercions ?? []), ...checked.coercions];
  return checked.value;
}

export function setInput(run: CallRun, input: JsonObject): void {
  run.input = input;
  run.executeInput = input;
}

/**
 * An answer came with the call. Where the preparation is of this very input, the call goes on from it: with the input that
 * its hooks had made, checked again, and without running them again. Else it is a new call, and the answer will not fit.
 */
function adoptPreparation(run: CallRun, input: JsonObject): void {
  const prepared = run.options.approval?.prepared;
  if (prepared === undefined || (prepared.verdict !== "allow" && prepared.verdict !== "ask")) return;
  const isSame =
    prepared.name === run.name && (digestIsOfInput(prepared.digest, input) || equalJson(prepared.input, input));
  if (!isSame) return;
  const adopted = checkedInputOf(run, prepared.input, "The preparation");
  if (adopted === undefined) return;
  run.prepared = prepared;
  setInput(run, adopted);
}

/** `once`: an id that finished with the same name and input answers with its recorded result. */
function answerWithRecorded(run: CallRun, input: JsonObject): void {
  const finished = run.call.id === undefined ? undefined : run.dispatcher.finishedCall(run.call.id);
  if (!finished || finished.name !== run.name || !equalJson(finished.input, input)) return;
  run.recorded = finished.result;
  run.refuse(finished.result.outcome, "(recorded)");
}
