import { isPromiseLike } from "../json.ts";
import type { ToolResult } from "../tool/result.ts";
import type { Hook, HookEvent } from "./hook.ts";
import { type HookHost, HookTurn } from "./hook-turn.ts";

/** What became of one run of a hook. */
export type HookAnswer =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "cancelled" };

const NOTHING: HookAnswer = Object.freeze({ kind: "returned", value: undefined });
const CANCELLED: HookAnswer = Object.freeze({ kind: "cancelled" });

/**
 * Runs a hook's function under the session write lock, or outside it if the hook is `concurrent`, and bounded in time.
 * Never throws and never rejects. A hook that answers at once under a free lock costs no tick.
 */
export function callHook(host: HookHost, hook: Hook, event: HookEvent | AfterEvent): HookAnswer | Promise<HookAnswer> {
  const turn = new HookTurn(host, hook);
  if (hook.concurrent === true || turn.tryLock()) return runHook(host, turn, event);
  return waitForTurn(host, turn, event);
}

/** What an after-hook is given; its `result` tells the two apart. */
export type AfterEvent = HookEvent & { readonly result: ToolResult };

async function waitForTurn(host: HookHost, turn: HookTurn, event: HookEvent | AfterEvent): Promise<HookAnswer> {
  // Every holder is bounded by its own deadline, so this wait needs none of its own.
  const waited = await host.waitFor(turn.lock(), Number.POSITIVE_INFINITY);
  // The abort may have come after the lock and before this.
  if (waited.kind === "settled" && host.cancelReason === undefined) return runHook(host, turn, event);
  turn.end();
  return CANCELLED;
}

function runHook(host: HookHost, turn: HookTurn, event: HookEvent | AfterEvent): HookAnswer | Promise<HookAnswer> {
  const { hook } = turn;
  let value: unknown;
  try {
    value = "result" in event ? hook.afterToolCall?.(event, turn) : hook.beforeToolCall?.(event, turn);
    if (isPromiseLike(value)) return waitForHook(host, turn, value);
  } catch (error) {
    turn.end();
    return { kind: "failed", message: describeThrow(hook, error) };
  }
  turn.end();
  return value === undefined ? NOTHING : { kind: "returned", value };
}

async function waitForHook(host: HookHost, turn: HookTurn, work: PromiseLike<unknown>): Promise<HookAnswer> {
  const { hook } = turn;
  const ms = turn.startDeadline();
  const waited = await host.waitFor(work, ms);
  turn.end();
  switch (waited.kind) {
    case "settled":
      return waited.value === undefined ? NOTHING : { kind: "returned", value: waited.value };
    case "failed":
      return { kind: "failed", message: describeThrow(hook, waited.error) };
    case "timed-out":
      return { kind: "failed", message: `hook "${hook.name}" failed (timeout): no answer within ${ms} ms` };
    case "cancelled":
      return CANCELLED;
  }
}

function describeThrow(hook: Hook, error: unknown): string {
  return `hook "${hook.name}" failed (threw): ${messageOf(error)}`;
}

/** The first line of what was thrown, clipped; never a stack. Anything may be thrown, so nothing is trusted. */
export function messageOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    const line = text.split("\n", 1)[0]?.trim() ?? "";
    return (line.length > 300 ? `${line.slice(0, 300)}…` : line).toWellFormed() || "(no message)";
  } catch {
    return "(no message)";
  }
}
