import { isRecord } from "../json.ts";
import { thrownText } from "../registry/thrown-text.ts";
import type { AvailabilityContext } from "../tool/availability.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolDiagnostic } from "../tool/diagnostic.ts";
import { evaluateSignal, ownMember } from "./evaluate-signal.ts";

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
  return evaluateAvailability(descriptor, context);
}

const NO_CONTEXT: AvailabilityContext = Object.freeze({});
const NONE: readonly ToolDiagnostic[] = Object.freeze([]);

/** The same, without an object for each call. */
export function evaluateAvailability(
  descriptor: ToolDescriptor,
  context: AvailabilityContext = NO_CONTEXT,
): readonly ToolDiagnostic[] {
  try {
    const { availability } = descriptor;
    if (availability === undefined) return NONE;
    const evaluation: Evaluation = { context, around: [], parts: MOST_PARTS };
    const diagnostics = evaluate(availability, evaluation);
    return evaluation.parts < 0 ? [unsupported(`it has more than ${MOST_PARTS} parts`)] : diagnostics;
  } catch (error) {
    return [unsupported(`it cannot be evaluated (${thrownText(error)})`)];
  }
}

/** Parts that two groups share count for each of them: else a few groups could unfold into more than could ever be looked at. */
const MOST_PARTS = 1000;
const DEEPEST = 64;

interface Evaluation {
  readonly context: AvailabilityContext;
  /** The groups around the current part: one of them again is a cycle. */
  readonly around: object[];
  /** How many parts may still be looked at. */
  parts: number;
}

function evaluate(expression: unknown, evaluation: Evaluation): readonly ToolDiagnostic[] {
  evaluation.parts -= 1;
  if (evaluation.parts < 0) return NONE;
  if (!isRecord(expression)) return [unsupported("it must be an object")];
  const shape = shapeOf(expression);
  if (shape === undefined) {
    const found =
      SHAPES.filter((each) => Object.hasOwn(expression, each)).join(" and ") || "none of kind, allOf, anyOf";
    return [unsupported(`it has ${found}; it must have exactly one`)];
  }
  if (shape === "kind") return evaluateSignal(expression, evaluation.context);
  return evaluateGroup(expression, shape, evaluation);
}

const SHAPES = ["kind", "allOf", "anyOf"] as const;
type Shape = (typeof SHAPES)[number];

/** The one shape of an expression. Mixed ones have none: half of the condition would be ignored. */
function shapeOf(expression: Readonly<Record<string, unknown>>): Shape | undefined {
  let only: Shape | undefined;
  for (const shape of SHAPES) {
    if (!Object.hasOwn(expression, shape)) continue;
    if (only !== undefined) return undefined;
    only = shape;
  }
  return only;
}

function evaluateGroup(
  group: Readonly<Record<string, unknown>>,
  shape: "allOf" | "anyOf",
  evaluation: Evaluation,
): readonly ToolDiagnostic[] {
  const { around } = evaluation;
  if (around.includes(group)) return [unsupported("it contains itself")];
  if (around.length >= DEEPEST) return [unsupported(`it nests more than ${DEEPEST} groups`)];
  const branches = ownMember(group, shape);
  if (!Array.isArray(branches)) return [unsupported(`${shape} must be a list`)];
  if (branches.length === 0) return [{ reason: "unsupported-signal", message: `Empty availability ${shape} group` }];
  around.push(group);
  const found = evaluateBranches(branches, evaluation);
  around.pop();
  const isSatisfied = shape === "anyOf" && found.some((diagnostics) => diagnostics.length === 0);
  // An authoring error beside a branch that passes still hides the tool, or nobody would ever see it.
  return isSatisfied ? found.flat().filter(({ reason }) => reason === "unsupported-signal") : found.flat();
}

/** Every branch speaks, in order; a hole in the list is a branch that is not there. */
function evaluateBranches(
  branches: readonly unknown[],
  evaluation: Evaluation,
): readonly (readonly ToolDiagnostic[])[] {
  const found: (readonly ToolDiagnostic[])[] = [];
  for (let at = 0; at < branches.length && evaluation.parts >= 0; at += 1)
    found.push(evaluate(branches[at], evaluation));
  return found;
}

function unsupported(why: string): ToolDiagnostic {
  return { reason: "unsupported-signal", message: `Unsupported availability expression: ${why}` };
}
