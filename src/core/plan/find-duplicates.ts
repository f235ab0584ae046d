import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolDiagnostic } from "../tool/diagnostic.ts";
import { canonicalToolName } from "../tool/name.ts";
import { formatOrigin } from "../tool/owner.ts";

/**
 * For each canonical name that stands more than once the diagnostic that names all its owners; undefined when none does.
 * Takes descriptors in the order of a plan.
 */
export function findDuplicates(sorted: readonly ToolDescriptor[]): ReadonlyMap<string, ToolDiagnostic> | undefined {
  const hasDuplicates = haveSortedNames(sorted) ? hasNeighboursAlike(sorted) : hasAlike(sorted);
  return hasDuplicates ? describeDuplicates(sorted) : undefined;
}

/** Whether the list is sorted by canonical name, so that equal ones are neighbours: a set of thousands is the dearest part of a plan. */
function haveSortedNames(sorted: readonly ToolDescriptor[]): boolean {
  for (const { name, sortKey } of sorted) if (sortKey !== undefined || canonicalToolName(name) !== name) return false;
  return true;
}

function hasNeighboursAlike(sorted: readonly ToolDescriptor[]): boolean {
  let before: string | undefined;
  for (const { name } of sorted) {
    if (name === before) return true;
    before = name;
  }
  return false;
}

function hasAlike(descriptors: readonly ToolDescriptor[]): boolean {
  const seen = new Set<string>();
  for (const { name } of descriptors) seen.add(canonicalToolName(name));
  return seen.size < descriptors.length;
}

function describeDuplicates(descriptors: readonly ToolDescriptor[]): ReadonlyMap<string, ToolDiagnostic> {
  const bearers = new Map<string, ToolDescriptor[]>();
  for (const descriptor of descriptors) {
    const key = canonicalToolName(descriptor.name);
    const others = bearers.get(key);
    if (others) others.push(descriptor);
    else bearers.set(key, [descriptor]);
  }
  return new Map(
    [...bearers]
      .filter(([, { length }]) => length > 1)
      .map(([key, all]) => [key, { reason: "duplicate-tool-name", message: messageFor(all) }] as const),
  );
}

function messageFor(bearers: readonly ToolDescriptor[]): string {
  const shown = bearers.slice(0, MOST_SHOWN).map(({ name, owner }) => `"${name}" of ${formatOrigin(owner)}`);
  const rest = bearers.length > MOST_SHOWN ? ` and ${bearers.length - MOST_SHOWN} more` : "";
  return `Duplicate tool descriptor name: ${shown.join(", ")}${rest} (case, dashes and underscores tell no names apart)`;
}

const MOST_SHOWN = 4;
