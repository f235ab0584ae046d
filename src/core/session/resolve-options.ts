import { type CallLimits, DEFAULT_CALL_LIMITS } from "../dispatch/limits.ts";
import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { ViewGates } from "../policy/view.ts";
import { canonicalToolName, nearestNames } from "../tool/name.ts";
import type { Limits, SessionOptions } from "./agent-session.ts";
import type { LoopLimits } from "./run-loop.ts";

const OPTION_NAMES: readonly (keyof SessionOptions)[] = [
  "id",
  "resume",
  "ports",
  "tools",
  "sources",
  "registry",
  "model",
  "systemPrompt",
  "policy",
  "availability",
  "hooks",
  "approver",
  "caller",
  "app",
  "disableBuiltInTools",
  "allowedToolNames",
  "limits",
  "defaults",
];

/** Throws `bad-option` for what createAgentSession cannot use: each says which, why, and the way out. */
export function assertSessionOptions(options: SessionOptions): void {
  const given: unknown = options;
  if (!isRecord(given)) throw new ToolmapError("bad-option", "createAgentSession takes an object of options.");
  for (const key of Object.keys(options)) {
    if (OPTION_NAMES.some((name) => name === key)) continue;
    const [near] = nearestNames(key, OPTION_NAMES, 1);
    throw new ToolmapError("bad-option", `createAgentSession does not know the option "${key}".`, {
      fix: near === undefined ? undefined : `Did you mean "${near}"?`,
    });
  }
  if (options.registry && (options.tools || options.sources)) {
    throw new ToolmapError("bad-option", "createAgentSession takes a registry, or tools and sources, and not both.", {
      fix: "Pass the tools and sources to createToolRegistry.",
    });
  }
  if (options.resume === true) {
    throw new ToolmapError(
      "bad-option",
      "resume needs a journal that can be read back, which this version does not have yet.",
    );
  }
  if (options.id !== undefined && (typeof options.id !== "string" || options.id === "")) {
    throw new ToolmapError("bad-option", "id must be a text that is not empty.");
  }
  const ask: unknown = options.defaults?.ask;
  if (ask !== undefined && ask !== "never" && ask !== "writes" && ask !== "always") {
    throw new ToolmapError("bad-option", `defaults.ask is ${JSON.stringify(ask)}.`, {
      fix: 'Use "never", "writes" or "always".',
    });
  }
}

/** Every bound of a call, given or default. */
export function resolveCallLimits(limits: Limits = {}): CallLimits {
  assertLimits(limits);
  const { toolMs, hookMs, approvalMs, keyWaitMs, graceMs, resultBytes } = {
    ...DEFAULT_CALL_LIMITS,
    ...defined(limits),
  };
  return Object.freeze({ toolMs, hookMs, approvalMs, keyWaitMs, graceMs, resultBytes });
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

function assertLimits(limits: Limits): void {
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue;
    const isFine = typeof value === "number" && value >= (name === "graceMs" ? 0 : 1) && !Number.isNaN(value);
    if (!isFine)
      throw new ToolmapError("bad-option", `limits.${name} is ${String(value)}; it must be a number of at least 1.`);
  }
}

function defined(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
