import { buildToolPlan } from "../plan/build-tool-plan.ts";
import type { ToolPlan } from "../plan/plan.ts";
import type { Registry } from "../registry/registry.ts";
import type { AvailabilityContext } from "../tool/availability.ts";
import type { Caller } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenToolPlanEntry, ToolDiagnostic } from "../tool/diagnostic.ts";
import { canonicalToolName, nearestNames } from "../tool/name.ts";
import { formatOrigin } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import { noToolVisible } from "./lint-policy.ts";
import type { CompiledPolicy, PolicyDecision } from "./policy.ts";

/** What a session lets into its view before any plan. */
export interface ViewGates {
  readonly disableBuiltInTools: boolean;
  /** Canonical names. */
  readonly allowedToolNames: ReadonlySet<string> | undefined;
}

/** A tool as a session sees it. */
export interface ViewEntry {
  readonly tool: AnyTool;
  readonly descriptor: ToolDescriptor;
  readonly origin: string;
  /** Absent for a visible tool. */
  readonly hidden: HiddenToolPlanEntry | undefined;
  readonly hiddenByPolicy: boolean;
  /** Its source does not answer now; the definition stays, a call is `unavailable`. */
  readonly isDown: boolean;
  /** The policy's answers so far, by caller. The model's was needed to list the tool. */
  readonly decisions: Decisions;
}

type Decisions = { [kind in Caller["kind"]]?: PolicyDecision };

/** A session's tools at one moment: the registry behind its gates, its plan and its policy. Immutable. */
export interface View {
  readonly registry: Registry;
  readonly policy: CompiledPolicy;
  readonly plan: ToolPlan;
  readonly entries: ReadonlyMap<string, ViewEntry>;
  /** Visible descriptors in plan order. */
  readonly visible: readonly ToolDescriptor[];
  /** Why the gates kept something out, for the answer to a call of it. */
  readonly gates: ViewGates;
}

export interface ViewOptions {
  readonly registry: Registry;
  readonly policy: CompiledPolicy;
  readonly availability: AvailabilityContext | undefined;
  readonly gates: ViewGates;
}

/** The caller that list time decides for: what a model may not call at all is hidden. */
const MODEL: Caller = Object.freeze({ kind: "model" });

/** Builds a session's view. Pure; compiles no schema and computes no digest. */
export function buildView({ registry, policy, availability, gates }: ViewOptions): View {
  const tools = [...registry.tools.values()].filter(({ descriptor }) => passesGates(descriptor, gates));
  const descriptors = tools.map(({ descriptor }) => descriptor);
  const planned = buildToolPlan({ descriptors, ...(availability ? { availability } : {}), mode: "session" });

  const hiddenByPlan = new Map(planned.hidden.map((entry) => [entry.descriptor, entry] as const));
  const entries = new Map<string, ViewEntry>();
  const hidden: HiddenToolPlanEntry[] = [...registry.hidden];
  for (const tool of tools) {
    const entry = viewEntry(tool, { policy, hiddenByPlan, isDown: registry.down.has(tool.descriptor.name) });
    entries.set(tool.descriptor.name, entry);
    if (entry.hidden) hidden.push(entry.hidden);
  }
  const visible = planned.visible.filter(({ descriptor }) => entries.get(descriptor.name)?.hidden === undefined);
  const dark = visible.length === 0 && tools.length > 0 ? noToolVisible(policy, descriptors) : undefined;
  const plan: ToolPlan = {
    visible,
    hidden: hidden.sort(byName),
    sources: registry.sources,
    warnings: [...registry.warnings, ...planned.warnings, ...(dark ? [dark] : [])],
  };
  return { registry, policy, plan, entries, visible: visible.map(({ descriptor }) => descriptor), gates };
}

/** The policy's answer for a tool of the view. Decided once for each kind of caller. */
export function decideEntry({ policy }: View, { descriptor, decisions }: ViewEntry, caller: Caller): PolicyDecision {
  return (decisions[caller.kind] ??= policy.decide(descriptor, caller));
}

/** How a name was found. `repair` says what was read as what; absent for the exact name. */
export interface Found {
  readonly entry: ViewEntry;
  readonly repair?: string;
}

/** Exact name; else the one tool with the same canonical key, never for an empty name. */
export function findTool(view: View, name: string): Found | undefined {
  const exact = view.entries.get(name);
  if (exact) return { entry: exact };
  const key = canonicalToolName(name);
  if (key === "") return undefined;
  const entry = view.entries.get(canonicalNames(view).get(key) ?? "");
  return entry && { entry, repair: `name "${name}" read as "${entry.descriptor.name}"` };
}

/** The visible tools whose names are nearest to a name that is not there. */
export function suggestTools(view: View, name: string): readonly string[] {
  return nearestNames(
    name,
    view.visible.map((descriptor) => descriptor.name),
    3,
  );
}

const canonicalNamesOf = new WeakMap<View, ReadonlyMap<string, string>>();

function canonicalNames(view: View): ReadonlyMap<string, string> {
  const known = canonicalNamesOf.get(view);
  if (known) return known;
  const fresh = new Map([...view.entries.keys()].map((name) => [canonicalToolName(name), name] as const));
  canonicalNamesOf.set(view, fresh);
  return fresh;
}

function passesGates(descriptor: ToolDescriptor, { disableBuiltInTools, allowedToolNames }: ViewGates): boolean {
  if (disableBuiltInTools && descriptor.owner.kind === "core") return false;
  return allowedToolNames === undefined || allowedToolNames.has(canonicalToolName(descriptor.name));
}

function viewEntry(
  tool: AnyTool,
  {
    policy,
    hiddenByPlan,
    isDown,
  }: {
    readonly policy: CompiledPolicy;
    readonly hiddenByPlan: ReadonlyMap<ToolDescriptor, HiddenToolPlanEntry>;
    readonly isDown: boolean;
  },
): ViewEntry {
  const { descriptor } = tool;
  const decision = policy.decide(descriptor, MODEL);
  const planned = hiddenByPlan.get(descriptor);
  const hiddenByPolicy = decision.verdict === "deny";
  let hidden = planned;
  if (hiddenByPolicy) {
    const diagnostic: ToolDiagnostic = {
      reason: "policy",
      message: decision.fix === undefined ? decision.message : `${decision.message} To change that: ${decision.fix}.`,
      ...(decision.rule?.source === undefined ? {} : { source: decision.rule.source }),
    };
    hidden = { descriptor, diagnostics: [...(planned?.diagnostics ?? []), diagnostic] };
  }
  const origin = formatOrigin(descriptor.owner);
  return { tool, descriptor, origin, hidden, hiddenByPolicy, isDown, decisions: { model: decision } };
}

function byName(left: HiddenToolPlanEntry, right: HiddenToolPlanEntry): number {
  const a = left.descriptor.sortKey ?? left.descriptor.name;
  const b = right.descriptor.sortKey ?? right.descriptor.name;
  return a < b ? -1 : a > b ? 1 : 0;
}
