import { isRecord } from "../json.ts";
import { isOwnerKind } from "../registry/find-tool-fault.ts";
import { showDescriptor } from "../registry/show-descriptor.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenToolPlanEntry } from "../tool/diagnostic.ts";

/** Descriptors that can be sorted and told apart, and an entry for each of the others. */
export interface SplitDescriptors {
  readonly readable: readonly ToolDescriptor[];
  readonly unreadable: readonly HiddenToolPlanEntry[];
}

/** Never throws. A list without a fault is returned as it is. */
export function splitReadable(descriptors: readonly ToolDescriptor[]): SplitDescriptors {
  if (descriptors.every(isReadable) && !hasHole(descriptors)) return { readable: descriptors, unreadable: [] };
  const all = Array.from(descriptors);
  return {
    readable: all.filter(isReadable),
    unreadable: all.filter((each) => !isReadable(each)).map(entryFor),
  };
}

/** Whether everything that a plan reads of it can be read and is what types promise. Its availability answers for itself. */
function isReadable(descriptor: unknown): boolean {
  try {
    if (!isRecord(descriptor)) return false;
    const { name, sortKey, owner, executor } = descriptor;
    return (
      typeof name === "string" &&
      (sortKey === undefined || typeof sortKey === "string") &&
      isRecord(owner) &&
      isOwnerKind(owner["kind"]) &&
      (executor === undefined || isRecord(executor))
    );
  } catch {
    return false;
  }
}

function hasHole(list: readonly unknown[]): boolean {
  for (let at = 0; at < list.length; at += 1) if (list[at] === undefined) return true;
  return false;
}

function entryFor(descriptor: unknown): HiddenToolPlanEntry {
  const shown = showDescriptor(descriptor, { id: "unknown", kind: "custom" });
  const message = `"${shown.name}": its name, sort key, owner or executor is missing or cannot be read`;
  return { descriptor: shown, diagnostics: [{ reason: "schema-unfit", message }] };
}
