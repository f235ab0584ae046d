import { decideEntry } from "../policy/view.ts";
import type { ToolDiagnostic } from "../tool/diagnostic.ts";
import { beforeHooks } from "./before-hooks.ts";
import type { CallRun, Trace } from "./call-run.ts";
import { checkInput } from "./check-input.ts";
import { decide, mustAsk } from "./decide.ts";
import { declareKeys } from "./declare-keys.ts";
import { DECIDE } from "./dispatch.ts";
import type { Explanation, TraceStep } from "./explanation.ts";
import { findGated } from "./find-gated.ts";
import { gate } from "./gate.ts";
import { lookUp } from "./look-up.ts";
import { parseCall } from "./parse-call.ts";
import { receive } from "./receive.ts";
import type { Step } from "./step.ts";
import { validate } from "./validate.ts";

/**
 * Dispatch stopped before the approval: the same steps on the same run, hooks listed and not run. Dispatch's decision is
 * this one, or a stricter one made by a hook that this named.
 */
export async function explain(run: CallRun): Promise<Explanation> {
  const trace: Trace = [];
  run.trace = trace;
  const hasInput = run.call.input !== undefined;
  try {
    for (const step of DECIDE) {
      if (run.isOver) break;
      const teller = TELLERS.get(step);
      if (teller?.needsInput === true && !hasInput) {
        if (step === checkInput)
          trace.push({ stage: "check", verdict: "depends", message: "on the input; none was given" });
        continue;
      }
      await step(run);
      if (teller) trace.push(...teller.tell(run));
    }
  } finally {
    // Whatever a step throws, a call that was only explained must not keep its session open.
    run.dispatcher.forget(run);
  }
  return summarise(run, trace);
}

/** What a step has to say once it was taken; nothing where it says it itself. */
interface Teller {
  readonly needsInput: boolean;
  tell(run: CallRun): readonly TraceStep[];
}

const TELLERS: ReadonlyMap<Step, Teller> = new Map<Step, Teller>([
  [receive, { needsInput: false, tell: (run) => (run.isOver ? [refusal(run, "receive")] : []) }],
  [lookUp, { needsInput: false, tell: tellLookUp }],
  [gate, { needsInput: false, tell: tellGate }],
  [parseCall, { needsInput: true, tell: (run) => (run.isOver ? [refusal(run, "parse")] : []) }],
  [checkInput, { needsInput: true, tell: tellCheck }],
  [beforeHooks, { needsInput: false, tell: () => [] }],
  [decide, { needsInput: false, tell: tellPolicy }],
  [validate, { needsInput: true, tell: (run) => (run.isOver ? [refusal(run, "validate")] : []) }],
  [declareKeys, { needsInput: true, tell: () => [] }],
]);

function tellLookUp(run: CallRun): readonly TraceStep[] {
  if (run.entry === undefined) return [...tellGated(run), refusal(run, "look-up")];
  const { found } = run;
  const shadowed = run.scope.view.registry.shadowed.filter(({ name }) => name === found.descriptor.name);
  const over = shadowed.map(({ origin }) => `, in place of the one of ${origin}`).join("");
  const how = run.repairs ? ` (${run.repairs.join("; ")})` : "";
  return [{ stage: "look-up", verdict: "pass", message: `"${run.name}" of ${found.origin}${over}${how}` }];
}

/** The session's gates kept it out. */
function tellGated(run: CallRun): readonly TraceStep[] {
  const gated = findGated(run.name, run.scope.view);
  return gated ? [{ stage: "gate", verdict: "hide", message: `"${run.name}" of ${gated.origin}: ${gated.why}` }] : [];
}

function tellGate(run: CallRun): readonly TraceStep[] {
  const { found } = run;
  if (found.hidden) return found.hidden.diagnostics.map((diagnostic) => tellHidden(run, diagnostic));
  if (run.isOver) return [refusal(run, "gate")];
  return [{ stage: "availability", verdict: "pass", message: "every condition holds" }];
}

function tellHidden(run: CallRun, { reason, message, source }: ToolDiagnostic): TraceStep {
  const place = source === undefined ? {} : { source };
  if (reason !== "policy")
    return { stage: "availability", verdict: "hide", message: `${reason}: ${message}`, ...place };
  const rule = decideEntry(run.scope.view, run.found, run.caller).rule?.text;
  return { stage: "policy", verdict: "deny", message, ...(rule === undefined ? {} : { rule }), ...place };
}

function tellCheck(run: CallRun): readonly TraceStep[] {
  if (run.isOver) return [refusal(run, "check")];
  const read = run.coercions?.map(({ path, from, to }) => `${path}: ${from} read as ${to}`) ?? [];
  return [{ stage: "check", verdict: "pass", message: ["the input fits the schema", ...read].join("; ") }];
}

function tellPolicy(run: CallRun): readonly TraceStep[] {
  const { decision } = run;
  if (!decision) return [];
  const rule = decision.rule;
  return [
    {
      stage: "policy",
      verdict: decision.verdict,
      message: decision.message,
      ...(rule === undefined ? {} : { rule: rule.text }),
      ...(rule?.source === undefined ? {} : { source: rule.source }),
    },
  ];
}

function refusal(run: CallRun, stage: string): TraceStep {
  const [first] = run.content;
  return { stage, verdict: "deny", message: first?.type === "text" ? first.text : (run.outcome ?? "refused") };
}

function summarise(run: CallRun, trace: readonly TraceStep[]): Explanation {
  const { entry } = run;
  const visible = entry !== undefined && entry.hidden === undefined;
  const fix = fixOf(run);
  return Object.freeze({
    name: run.name,
    origin: entry?.origin ?? findGated(run.name, run.scope.view)?.origin ?? "unknown",
    visible,
    active: visible && run.services.isActive(entry.descriptor.name),
    verdict: run.isOver ? "deny" : mustAsk(run) ? "ask" : "allow",
    trace,
    ...(fix === undefined ? {} : { fix }),
  });
}

/** The smallest change that would flip the answer; undefined where no setting does. */
function fixOf(run: CallRun): string | undefined {
  const { entry } = run;
  if (!entry) return findGated(run.name, run.scope.view)?.fix;
  const fixes =
    entry.hidden?.diagnostics.flatMap(({ reason, message }) => (reason === "policy" ? [] : [message])) ?? [];
  const decision = decideEntry(run.scope.view, entry, run.caller);
  const isPolicyInTheWay = entry.hiddenByPolicy || (!run.isOver && mustAsk(run));
  if (isPolicyInTheWay && decision.fix !== undefined) fixes.push(decision.fix);
  if (!run.services.isActive(entry.descriptor.name)) fixes.push(`add "${entry.descriptor.name}" to the active tools`);
  return fixes.length === 0 ? undefined : [...new Set(fixes)].join("; ");
}
