import type { ToolDescriptor } from "../tool/descriptor.ts";
import { formatOrigin } from "../tool/owner.ts";

/**
 * In the order of a plan: `sortKey ?? name`, then name, then origin, by code unit, so the same in every locale and for every
 * order of arrival. A sorted list is returned as it is.
 */
export function sortDescriptors(descriptors: readonly ToolDescriptor[]): readonly ToolDescriptor[] {
  return isSorted(descriptors) ? descriptors : descriptors.toSorted(compareDescriptors);
}

function isSorted(descriptors: readonly ToolDescriptor[]): boolean {
  let before: ToolDescriptor | undefined;
  for (const descriptor of descriptors) {
    if (before && compareDescriptors(before, descriptor) > 0) return false;
    before = descriptor;
  }
  return true;
}

/** The order of a plan, for a sort. */
export function compareDescriptors(left: ToolDescriptor, right: ToolDescriptor): number {
  return (
    compareText(left.sortKey ?? left.name, right.sortKey ?? right.name) ||
    compareText(left.name, right.name) ||
    compareText(formatOrigin(left.owner), formatOrigin(right.owner))
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
