import { clipText, isPromiseLike, isRecord, type JsonValue } from "../json.ts";
import type { AvailabilityContext, AvailabilitySignal } from "../tool/availability.ts";
import type { HiddenReason, ToolDiagnostic } from "../tool/diagnostic.ts";
import { findSignalFault } from "./find-signal-fault.ts";

/** The reason why one signal does not hold in this context; none where it does. A malformed one is `unsupported-signal`. */
export function evaluateSignal(
  given: Readonly<Record<string, unknown>>,
  context: AvailabilityContext,
): readonly ToolDiagnostic[] {
  const fault = findSignalFault(given);
  if (fault !== undefined) return [{ reason: "unsupported-signal", message: fault }];
  // Its shape was checked just now.
  const signal = given as unknown as AvailabilitySignal;
  const failure = failureOf(signal, context);
  return failure ? [{ reason: failure.reason, message: failure.message, signal }] : NONE;
}

const NONE: readonly ToolDiagnostic[] = Object.freeze([]);

/** Own members only: `constructor` is not configured because every object has one. */
export function ownMember<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return isRecord(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

interface Failure {
  readonly reason: HiddenReason;
  readonly message: string;
}

function failureOf(signal: AvailabilitySignal, context: AvailabilityContext): Failure | undefined {
  switch (signal.kind) {
    case "always":
      return undefined;
    case "auth":
      if (context.authProviderIds?.has(signal.providerId)) return undefined;
      return { reason: "auth-missing", message: `Missing auth provider: ${clip(signal.providerId)} (sign in to it)` };
    case "env":
      if (isFilled(ownMember(context.env, signal.name))) return undefined;
      return { reason: "env-missing", message: `Missing environment value: set ${clip(signal.name)}` };
    case "plugin-enabled":
      if (context.enabledPluginIds?.has(signal.pluginId)) return undefined;
      return { reason: "plugin-disabled", message: `Plugin is not enabled: ${clip(signal.pluginId)} (enable it)` };
    case "context":
      return contextFailure(signal, context);
    case "config":
      return configFailure(signal, context);
  }
}

/** Without `equals` any value but undefined passes; with it, strict equality: NaN matches nothing, not even itself. */
function contextFailure(
  signal: Extract<AvailabilitySignal, { readonly kind: "context" }>,
  context: AvailabilityContext,
): Failure | undefined {
  const value = ownMember(context.values, signal.key);
  const key = clip(signal.key);
  if (Object.hasOwn(signal, "equals")) {
    if (value === signal.equals) return undefined;
    return {
      reason: "context-mismatch",
      message: `Context value did not match: ${key} (it must be ${clip(JSON.stringify(signal.equals) ?? "")})`,
    };
  }
  if (value !== undefined) return undefined;
  return { reason: "context-mismatch", message: `Missing context value: ${key} (the program must give it)` };
}

function configFailure(
  signal: Extract<AvailabilitySignal, { readonly kind: "config" }>,
  context: AvailabilityContext,
): Failure | undefined {
  let value: unknown = context.config;
  for (const key of signal.path) value = isRecord(value) ? ownMember(value, key) : undefined;
  if (value === undefined || value === null) return configMissing(signal.path, "set it");
  const check = signal.check ?? "exists";
  if (check === "non-empty" && !isNotEmpty(value)) return configMissing(signal.path, "it is empty");
  if (check === "available" && !isAvailable(value as JsonValue, signal, context))
    return configMissing(signal.path, "its value does not resolve here");
  return undefined;
}

function configMissing(path: readonly string[], way: string): Failure {
  return { reason: "config-missing", message: `Missing config path: ${clip(path.join("."))} (${way})` };
}

/** Numbers and booleans count as filled, 0 and false too. */
function isNotEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value) ? Object.keys(value).length > 0 : true;
}

/** A host's answer that fails, or comes later, is no answer. */
function isAvailable(
  value: JsonValue,
  signal: Extract<AvailabilitySignal, { readonly kind: "config" }>,
  context: AvailabilityContext,
): boolean {
  try {
    const answer: unknown = context.isConfigValueAvailable?.({ value, path: signal.path, signal });
    if (isPromiseLike(answer)) answer.then(undefined, () => undefined);
    return answer === true;
  } catch {
    return false;
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function clip(text: string): string {
  return clipText(text, 200);
}
