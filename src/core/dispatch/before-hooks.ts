import { isPromiseLike, isRecord, type JsonObject } from "../json.ts";
import { callHook, type HookAnswer } from "../hooks/call-hook.ts";
import type { Hook, HookEvent } from "../hooks/hook.ts";
import type { CallRun } from "./call-run.ts";
import { refuseCancelled } from "./approve.ts";
import { checkedInputOf, setInput } from "./check-input.ts";

/** Runs the before-hooks in registration order. A change of the input is checked again at once; only `block` ends the chain. */
export function beforeHooks(run: CallRun): void | Promise<void> {
  const hooks = run.services.hooks.of(run.found.descriptor).before;
  if (hooks.length === 0 || run.prepared !== undefined) return undefined;
  if (run.trace) {
    for (const hook of hooks) {
      run.trace.push({
        stage: "hook",
        verdict: "depends",
        message: `hook "${hook.name}" may change, block or ask for this call`,
      });
    }
    return undefined;
  }
  return runFrom(run, hooks, 0);
}

function runFrom(run: CallRun, hooks: readonly Hook[], from: number): void | Promise<void> {
  for (let index = from; index < hooks.length && !run.isOver; index += 1) {
    const hook = hooks[index];
    if (hook === undefined) return undefined;
    if (run.cancelReason !== undefined) return refuseCancelled(run);
    const answer = callHook(run, hook, hookEvent(run));
    if (isPromiseLike(answer)) {
      return answer.then((late) => {
        applyAnswer(run, hook, late);
        return runFrom(run, hooks, index + 1);
      });
    }
    applyAnswer(run, hook, answer);
  }
  return undefined;
}

/** What a hook sees: frozen, with the checked input in place of the caller's own object. */
export function hookEvent(run: CallRun): HookEvent {
  const input = run.checkedInput;
  if (run.hookEvent?.input === input) return run.hookEvent;
  const { meta } = run.call;
  const call = { id: run.callId, name: run.name, input };
  run.hookEvent = Object.freeze({
    call: Object.freeze(meta === undefined ? call : { ...call, meta }),
    tool: run.found.descriptor,
    input,
    caller: run.caller,
  });
  return run.hookEvent;
}

function applyAnswer(run: CallRun, hook: Hook, answer: HookAnswer): void {
  switch (answer.kind) {
    case "returned":
      if (answer.value !== undefined) applyDecision(run, hook, answer.value);
      return;
    case "failed":
      run.refuse(
        "blocked",
        `"${run.name}" did not run: ${answer.message}. This is a fault of the hook and not a decision about the call.`,
      );
      return;
    case "cancelled":
      refuseCancelled(run);
      return;
  }
}

const DECISIONS = ["input", "block", "ask", "result"] as const;

function applyDecision(run: CallRun, hook: Hook, value: unknown): void {
  const { kind, said } = readDecision(value);
  switch (kind) {
    case "input":
      rewriteInput(run, hook, said);
      return;
    case "block":
      run.refuse("blocked", `Hook "${hook.name}" blocked "${run.name}": ${String(said).toWellFormed()}`);
      return;
    case "ask":
      run.hookAsks ??= [];
      run.hookAsks.push(`hook "${hook.name}": ${String(said).toWellFormed()}`);
      return;
    case "result":
      run.replacement = { value: said };
      return;
    case undefined:
      run.refuse(
        "blocked",
        `"${run.name}" did not run: hook "${hook.name}" failed (nonsense): it must return nothing or exactly one of { input }, { block }, { ask }, { result }.`,
      );
  }
}

interface Decision {
  /** Undefined for anything but exactly one decision of the right type, as its own member, that can be read. */
  readonly kind: (typeof DECISIONS)[number] | undefined;
  readonly said?: unknown;
}

const NONSENSE: Decision = { kind: undefined };

/** The one decision that a hook returned. Each member is read once. */
function readDecision(value: unknown): Decision {
  try {
    if (!isRecord(value)) return NONSENSE;
    const given = Object.entries(value).filter(([, said]) => said !== undefined);
    const [key, said] = given[0] ?? [];
    const kind = given.length === 1 ? DECISIONS.find((each) => each === key) : undefined;
    if ((kind === "block" || kind === "ask") && typeof said !== "string") return NONSENSE;
    if (kind === "input" && !isRecord(said)) return NONSENSE;
    return { kind, said };
  } catch {
    return NONSENSE;
  }
}

function rewriteInput(run: CallRun, hook: Hook, input: unknown): void {
  const checked: JsonObject | undefined = checkedInputOf(run, input, `Hook "${hook.name}"`);
  if (checked === undefined) return;
  setInput(run, checked);
  run.note(`hook "${hook.name}" changed the input`);
}
