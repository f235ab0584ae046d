import { isRecord, type JsonValue } from "../json.ts";
import type { AvailabilityContext, AvailabilitySignal } from "../tool/availability.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenReason, ToolDiagnostic } from "../tool/diagnostic.ts";

/**
 * Every reason why a tool is not available in this context; none for an available one. Never throws: an expression that is
 * not one of the documented shapes is `unsupported-signal`.
 */
export function evaluateToolAvailability({
  descriptor,
  context = NO_CONTEXT,
}: {
  readonly descriptor: ToolDescriptor;
  readonly context?: AvailabilityContext;
}): readonly ToolDiagnostic[] {
  const { availability } = descriptor;
  return availability === undefined ? NONE : evaluate(availability, { context, path: NO_PATH });
}

const NO_CONTEXT: AvailabilityContext = Object.freeze({});
const NONE: readonly ToolDiagnostic[] = Object.freeze([]);
const NO_PATH: readonly object[] = Object.freeze([]);

interface Evaluation {
  readonly context: AvailabilityContext;
  /** The groups around this expression: one of them again is a cycle. */
  readonly path: readonly object[];
}

function evaluate(expression: unknown, evaluation: Evaluation): readonly ToolDiagnostic[] {
  if (!isRecord(expression)) return [unsupported("Unsupported availability expression: it must be an object")];
  const shapes = ["kind", "allOf", "anyOf"].filter((key) => Object.hasOwn(expression, key));
  if (shapes.length !== 1) {
    const found = shapes.length === 0 ? "none of kind, allOf, anyOf" : shapes.join(" and ");
    return [unsupported(`Unsupported availability expression: it has ${found}; it must have exactly one`)];
  }
  if (evaluation.path.includes(expression))
    return [unsupported("Unsupported availability expression: it contains itself")];
  if (evaluation.path.length >= DEEPEST)
    return [unsupported(`Unsupported availability expression: deeper than ${DEEPEST}`)];
  const inner: Evaluation = { context: evaluation.context, path: [...evaluation.path, expression] };
  if (shapes[0] === "allOf") return evaluateAll(expression["allOf"], inner);
  if (shapes[0] === "anyOf") return evaluateAny(expression["anyOf"], inner);
  return evaluateSignal(expression, evaluation.context);
}

const DEEPEST = 64;

/** Every failing branch speaks, in order. */
function evaluateAll(branches: unknown, evaluation: Evaluation): readonly ToolDiagnostic[] {
  if (!Array.isArray(branches) || branches.length === 0) return [unsupported("Empty availability allOf group")];
  return branches.flatMap((branch: unknown) => evaluate(branch, evaluation));
}

/** One branch is enough; an authoring error in another still hides the tool, or nobody would ever see it. */
function evaluateAny(branches: unknown, evaluation: Evaluation): readonly ToolDiagnostic[] {
  if (!Array.isArray(branches) || branches.length === 0) return [unsupported("Empty availability anyOf group")];
  const found = branches.map((branch: unknown) => evaluate(branch, evaluation));
  const isSatisfied = found.some((diagnostics) => diagnostics.length === 0);
  return isSatisfied ? found.flat().filter(({ reason }) => reason === "unsupported-signal") : found.flat();
}

function evaluateSignal(
  signal: Readonly<Record<string, unknown>>,
  context: AvailabilityContext,
): readonly ToolDiagnostic[] {
  const fault = findSignalFault(signal);
  if (fault !== undefined) return [unsupported(fault)];
  // Its shape was checked just now.
  const checked = signal as unknown as AvailabilitySignal;
  const failure = failureOf(checked, context);
  return failure ? [{ reason: failure.reason, message: failure.message, signal: checked }] : NONE;
}

/** What is wrong with a signal's own shape. */
function findSignalFault(signal: Readonly<Record<string, unknown>>): string | undefined {
  const { kind } = signal;
  switch (kind) {
    case "always":
      return undefined;
    case "auth":
      return isText(signal["providerId"]) ? undefined : "Malformed auth signal: missing providerId";
    case "env":
      return isText(signal["name"]) ? undefined : "Malformed env signal: missing name";
    case "plugin-enabled":
      return isText(signal["pluginId"]) ? undefined : "Malformed plugin-enabled signal: missing pluginId";
    case "context":
      return isText(signal["key"]) ? undefined : "Malformed context signal: missing key";
    case "config": {
      const { path, check } = signal;
      if (!Array.isArray(path) || path.length === 0 || !path.every(isText))
        return "Malformed config signal: missing path";
      if (check === undefined || check === "exists" || check === "non-empty" || check === "available") return undefined;
      return `Malformed config signal: unknown check ${JSON.stringify(check)}`;
    }
    default:
      return `Unsupported availability signal: ${JSON.stringify(kind)}`;
  }
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
      return { reason: "auth-missing", message: `Missing auth provider: ${signal.providerId}` };
    case "env":
      if (isFilled(own(context.env, signal.name))) return undefined;
      return { reason: "env-missing", message: `Missing environment value: set ${signal.name}` };
    case "plugin-enabled":
      if (context.enabledPluginIds?.has(signal.pluginId)) return undefined;
      return { reason: "plugin-disabled", message: `Plugin is not enabled: ${signal.pluginId}` };
    case "context":
      return contextFailure(signal, context);
    case "config":
      return configFailure(signal, context);
  }
}

/** Without `equals` any value but undefined passes; with it, strict equality, so that NaN never matches. */
function contextFailure(
  signal: Extract<AvailabilitySignal, { readonly kind: "context" }>,
  context: AvailabilityContext,
): Failure | undefined {
  const value = own(context.values, signal.key);
  if (!Object.hasOwn(signal, "equals") || signal.equals === undefined) {
    return value === undefined
      ? { reason: "context-mismatch", message: `Missing context value: ${signal.key}` }
      : undefined;
  }
  return value === signal.equals
    ? undefined
    : { reason: "context-mismatch", message: `Context value did not match: ${signal.key}` };
}

function configFailure(
  signal: Extract<AvailabilitySignal, { readonly kind: "config" }>,
  context: AvailabilityContext,
): Failure | undefined {
  let value: unknown = context.config;
  for (const key of signal.path) value = isRecord(value) ? own(value, key) : undefined;
  const failure: Failure = { reason: "config-missing", message: `Missing config path: ${signal.path.join(".")}` };
  if (value === undefined || value === null) return failure;
  switch (signal.check ?? "exists") {
    case "exists":
      return undefined;
    case "non-empty":
      return isNotEmpty(value) ? undefined : failure;
    case "available":
      return isAvailable(value as JsonValue, signal, context) ? undefined : failure;
  }
}

/** Numbers and booleans count as filled, 0 and false too. */
function isNotEmpty(value: unknown): boolean {
  if (typeof value === "string") return value.trim() !== "";
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value) ? Object.keys(value).length > 0 : true;
}

/** A host's answer that fails is no answer. */
function isAvailable(
  value: JsonValue,
  signal: Extract<AvailabilitySignal, { readonly kind: "config" }>,
  context: AvailabilityContext,
): boolean {
  try {
    return context.isConfigValueAvailable?.({ value, path: signal.path, signal }) === true;
  } catch {
    return false;
  }
}

/** Own members only: `constructor` is not configured because every object has one. */
function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function unsupported(message: string): ToolDiagnostic {
  return { reason: "unsupported-signal", message };
}
