import type { AvailabilityContext } from "../tool/availability.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenReason, HiddenToolPlanEntry, ToolDiagnostic, Warning } from "../tool/diagnostic.ts";
import { canonicalToolName } from "../tool/name.ts";
import { formatOrigin } from "../tool/owner.ts";
import { ToolPlanContractError } from "./contract-error.ts";
import { evaluateToolAvailability } from "./evaluate-availability.ts";
import type { ToolPlan, ToolPlanEntry } from "./plan.ts";

export interface BuildToolPlanOptions {
  readonly descriptors: readonly ToolDescriptor[];
  readonly availability?: AvailabilityContext;
  /** `strict` throws at the first breach; `session` hides the faulty entries and keeps the rest. */
  readonly mode: "strict" | "session";
}

/**
 * Sorts descriptors into visible and hidden, each hidden one with every reason. Order: `sortKey ?? name`, then name, by code
 * unit. Throws ToolPlanContractError in strict mode only. Touches no executor.
 */
export function buildToolPlan({ descriptors, availability, mode }: BuildToolPlanOptions): ToolPlan {
  const sorted = isSorted(descriptors) ? descriptors : [...descriptors].sort(compareDescriptors);
  const duplicates = findDuplicates(sorted);
  const visible: ToolPlanEntry[] = [];
  const hidden: HiddenToolPlanEntry[] = [];
  if (mode === "strict") assertUnique(sorted, duplicates);
  for (const descriptor of sorted) {
    const diagnostics = diagnose(descriptor, availability, duplicates);
    if (diagnostics.length > 0) {
      hidden.push({ descriptor, diagnostics });
      continue;
    }
    const { executor } = descriptor;
    if (executor) {
      visible.push({ descriptor, executor });
      continue;
    }
    const message = `Visible tool descriptor has no executor ref: ${descriptor.name}`;
    if (mode === "strict") throw new ToolPlanContractError("missing-executor", descriptor.name, message);
    hidden.push({ descriptor, diagnostics: [{ reason: "missing-executor", message }] });
  }
  return { visible, hidden, sources: [], warnings: authoringWarnings(hidden) };
}

function diagnose(
  descriptor: ToolDescriptor,
  context: AvailabilityContext | undefined,
  duplicates: ReadonlySet<string> | undefined,
): readonly ToolDiagnostic[] {
  const diagnostics = evaluateToolAvailability(context ? { descriptor, context } : { descriptor });
  if (!duplicates?.has(canonicalToolName(descriptor.name))) return diagnostics;
  const origin = formatOrigin(descriptor.owner);
  const message = `Duplicate tool descriptor name: ${descriptor.name} (of ${origin})`;
  return [...diagnostics, { reason: "duplicate-tool-name" satisfies HiddenReason, message }];
}

function assertUnique(sorted: readonly ToolDescriptor[], duplicates: ReadonlySet<string> | undefined): void {
  const twice = duplicates && sorted.find(({ name }) => duplicates.has(canonicalToolName(name)));
  if (twice)
    throw new ToolPlanContractError("duplicate-tool-name", twice.name, `Duplicate tool descriptor name: ${twice.name}`);
}

/** Canonical names that stand more than once; undefined when none does. */
function findDuplicates(descriptors: readonly ToolDescriptor[]): ReadonlySet<string> | undefined {
  const seen = new Set<string>();
  let duplicates: Set<string> | undefined;
  for (const { name } of descriptors) {
    const key = canonicalToolName(name);
    const before = seen.size;
    if (seen.add(key).size === before) (duplicates ??= new Set()).add(key);
  }
  return duplicates;
}

/** An authoring error hides a tool for good, so it must not stay silent. */
function authoringWarnings(hidden: readonly HiddenToolPlanEntry[]): readonly Warning[] {
  return hidden.flatMap(({ descriptor, diagnostics }) =>
    diagnostics
      .filter(({ reason }) => reason === "unsupported-signal")
      .map(({ message }) => ({
        code: "unsupported-signal",
        message: `Tool "${descriptor.name}" is hidden: ${message}`,
      })),
  );
}

function isSorted(descriptors: readonly ToolDescriptor[]): boolean {
  for (let at = 1; at < descriptors.length; at += 1) {
    const [left, right] = [descriptors[at - 1], descriptors[at]];
    if (left && right && compareDescriptors(left, right) > 0) return false;
  }
  return true;
}

/** By code unit: the same on every machine and in every locale. */
export function compareDescriptors(left: ToolDescriptor, right: ToolDescriptor): number {
  return compareText(left.sortKey ?? left.name, right.sortKey ?? right.name) || compareText(left.name, right.name);
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
