import { isRecord } from "../json.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenReason, HiddenToolPlanEntry } from "../tool/diagnostic.ts";
import { canonicalToolName } from "../tool/name.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import { type Fault, findListingFault, findToolFault } from "./find-tool-fault.ts";
import { holdTool } from "./hold-tool.ts";
import { type Giver, memberOf, showDescriptor } from "./show-descriptor.ts";
import { thrownText } from "./thrown-text.ts";

/** What is wrong with a tool, as its source gave it. */
export interface ToolFault {
  readonly reason: HiddenReason;
  readonly message: string;
  /** As much of a descriptor as can be shown. */
  readonly descriptor: ToolDescriptor;
}

/** A well-formed tool, with what a merge needs of it, read once. */
export interface HeldTool {
  readonly tool: AnyTool;
  readonly descriptor: ToolDescriptor;
  /** The canonical name. */
  readonly key: string;
}

export type Inspection = { readonly held: HeldTool } | { readonly fault: ToolFault };

/** Tools that were found sound, so that a rebuild looks at new ones only. */
const known = new WeakMap<object, { readonly held: HeldTool }>();

/** Looks a tool over: sound, or what is wrong with it. Never throws, whatever the source put there. */
export function inspectTool(tool: unknown, giver: Giver): Inspection {
  try {
    const before = typeof tool === "object" && tool !== null ? known.get(tool) : undefined;
    if (before && isStill(tool, before.held, giver)) return before;
    const fault = findToolFault(tool, giver.kind);
    if (fault) return { fault: faultOf(tool, giver, fault) };
    return hold(tool as AnyTool, giver); // looked over just now
  } catch (error) {
    const message = `a member of the tool cannot be read (${thrownText(error)})`;
    return { fault: faultOf(tool, giver, { reason: "schema-unfit", message }) };
  }
}

/** The same definition, for a source of the same kind: that a source of built-ins may give it allows it to no other. */
function isStill(tool: unknown, { tool: held, descriptor }: HeldTool, { kind }: Giver): boolean {
  return descriptor.owner.kind === kind && (held !== tool || held.descriptor === descriptor);
}

function hold(given: AnyTool, giver: Giver): Inspection {
  const tool = holdTool(given);
  // A copy is looked over itself: what it was made of could have answered otherwise this time.
  const fault = tool === given ? undefined : findToolFault(tool, giver.kind);
  if (fault) return { fault: faultOf(tool, giver, fault) };
  const { descriptor } = tool;
  const inspection = { held: { tool, descriptor, key: canonicalToolName(descriptor.name) } };
  known.set(given, inspection);
  return inspection;
}

function faultOf(tool: unknown, giver: Giver, { reason, message }: Fault): ToolFault {
  return { reason, message, descriptor: showDescriptor(memberOf(tool, "descriptor"), giver) };
}

/** A hidden entry as a source gave it, if it can be listed; else one that says so. Never throws. */
export function inspectHidden(entry: unknown, giver: Giver): HiddenToolPlanEntry {
  try {
    if (isRecord(entry) && isListable(entry["descriptor"], giver.kind) && areDiagnostics(entry["diagnostics"]))
      return entry as unknown as HiddenToolPlanEntry; // looked over just now
  } catch {
    // It cannot be read, which is said below.
  }
  const message = "its source says that it is hidden, in an entry that cannot be read";
  return {
    descriptor: showDescriptor(memberOf(entry, "descriptor"), giver),
    diagnostics: [{ reason: "schema-unfit", message }],
  };
}

function isListable(descriptor: unknown, kind: ToolOwnerRef["kind"]): boolean {
  return (
    isRecord(descriptor) && typeof descriptor["name"] === "string" && findListingFault(descriptor, kind) === undefined
  );
}

function areDiagnostics(diagnostics: unknown): boolean {
  const isOne = (each: unknown): boolean =>
    isRecord(each) && typeof each["reason"] === "string" && typeof each["message"] === "string";
  return Array.isArray(diagnostics) && diagnostics.length > 0 && diagnostics.every(isOne);
}
