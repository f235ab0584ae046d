import { ToolmapError } from "../errors.ts";
import type { AvailabilityContext } from "../tool/availability.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenToolPlanEntry, ToolDiagnostic, Warning } from "../tool/diagnostic.ts";
import { canonicalToolName } from "../tool/name.ts";
import { ToolPlanContractError } from "./contract-error.ts";
import { evaluateAvailability } from "./evaluate-availability.ts";
import { findDuplicates } from "./find-duplicates.ts";
import type { ToolPlan, ToolPlanEntry } from "./plan.ts";
import { compareDescriptors, sortDescriptors } from "./sort-descriptors.ts";
import { splitReadable } from "./split-readable.ts";

export interface BuildToolPlanOptions {
  readonly descriptors: readonly ToolDescriptor[];
  readonly availability?: AvailabilityContext;
  /** `strict` throws at the first breach; `session` hides the faulty entries and keeps the rest. */
  readonly mode: "strict" | "session";
}

/**
 * Sorts descriptors into visible and hidden, each hidden one with every reason. Order: `sortKey ?? name`, then name, by code
 * unit. In strict mode throws ToolPlanContractError, and ToolmapError `bad-tool` for what is no descriptor. Touches no executor.
 */
export function buildToolPlan({ descriptors, availability, mode }: BuildToolPlanOptions): ToolPlan {
  const { readable, unreadable } = splitReadable(descriptors);
  const sorted = sortDescriptors(readable);
  const duplicates = findDuplicates(sorted);
  if (mode === "strict") {
    assertReadable(unreadable);
    assertUnique(sorted, duplicates);
  }
  const visible: ToolPlanEntry[] = [];
  const hidden: HiddenToolPlanEntry[] = [];
  for (const descriptor of sorted) {
    const diagnostics = evaluateAvailability(descriptor, availability);
    const twice = duplicates?.get(canonicalToolName(descriptor.name));
    const { executor } = descriptor;
    if (twice !== undefined) {
      hidden.push({ descriptor, diagnostics: [...diagnostics, twice] });
    } else if (diagnostics.length > 0) {
      hidden.push({ descriptor, diagnostics });
    } else if (executor) {
      visible.push({ descriptor, executor });
    } else {
      const diagnostic = missingExecutor(descriptor);
      if (mode === "strict") throw new ToolPlanContractError("missing-executor", descriptor.name, diagnostic.message);
      hidden.push({ descriptor, diagnostics: [diagnostic] });
    }
  }
  return {
    visible,
    hidden: unreadable.length === 0 ? hidden : [...hidden, ...unreadable].sort(byDescriptor),
    sources: [],
    warnings: authoringWarnings(hidden),
  };
}

function byDescriptor(left: HiddenToolPlanEntry, right: HiddenToolPlanEntry): number {
  return compareDescriptors(left.descriptor, right.descriptor);
}

function assertReadable([first]: readonly HiddenToolPlanEntry[]): void {
  if (first) throw new ToolmapError("bad-tool", `A descriptor cannot be planned: ${first.diagnostics[0]?.message}.`);
}

function assertUnique(
  sorted: readonly ToolDescriptor[],
  duplicates: ReadonlyMap<string, ToolDiagnostic> | undefined,
): void {
  const twice = duplicates && sorted.find(({ name }) => duplicates.has(canonicalToolName(name)));
  if (twice)
    throw new ToolPlanContractError("duplicate-tool-name", twice.name, `Duplicate tool descriptor name: ${twice.name}`);
}

function missingExecutor({ name }: ToolDescriptor): ToolDiagnostic {
  return { reason: "missing-executor", message: `Visible tool descriptor has no executor ref: ${name}` };
}

/** An authoring error hides a tool for good, so it must not stay silent. */
function authoringWarnings(hidden: readonly HiddenToolPlanEntry[]): readonly Warning[] {
  return hidden.flatMap(({ descriptor, diagnostics }) =>
    diagnostics
      .filter(({ reason }) => reason === "unsupported-signal")
      .map(({ reason, message }) => ({
        code: reason,
        message: `Tool "${descriptor.name}" is hidden: ${message}`,
        fix: "Mend the tool's availability: no setting makes it visible as it stands.",
      })),
  );
}
