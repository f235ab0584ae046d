import type { HiddenReason, HiddenToolPlanEntry, Warning } from "../tool/diagnostic.ts";
import { canonicalToolName } from "../tool/name.ts";
import { formatOrigin, type ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { ShadowedTool } from "./registry.ts";

/** One source's well-formed tools, with its place in the order of sources. */
export interface Contribution {
  readonly sourceId: string;
  readonly kind: ToolOwnerRef["kind"];
  readonly tools: readonly AnyTool[];
  readonly isDown: boolean;
}

export interface MergedTools {
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly shadowed: readonly ShadowedTool[];
  readonly hidden: readonly HiddenToolPlanEntry[];
  /** By name: the id of the source that is down. */
  readonly down: ReadonlyMap<string, string>;
  readonly warnings: readonly Warning[];
}

/** A later kind overrides an earlier one, on record. */
const ORDER_OF_KINDS: readonly ToolOwnerRef["kind"][] = ["core", "plugin", "channel", "mcp", "custom"];

interface Claim {
  readonly tool: AnyTool;
  readonly contribution: Contribution;
}

/**
 * Contributions to one Map. Names are unique by canonical name. Order of kinds: core, plugin, channel, mcp, custom; a later
 * kind takes the name of an earlier one, but mcp of nobody, and that of core only with `override`. Of two sources of one kind
 * the first given keeps the name. Every override and clash is on record with both owners.
 */
export function mergeTools(contributions: readonly Contribution[]): MergedTools {
  const claims = new Map<string, Claim>();
  const record: MergeRecord = { shadowed: [], hidden: [], warnings: [] };
  for (const kind of ORDER_OF_KINDS) {
    for (const contribution of contributions) {
      if (contribution.kind === kind) addContribution(contribution, claims, record);
    }
  }
  const tools = new Map<string, AnyTool>();
  const down = new Map<string, string>();
  for (const { tool, contribution } of claims.values()) {
    tools.set(tool.descriptor.name, tool);
    if (contribution.isDown) down.set(tool.descriptor.name, contribution.sourceId);
  }
  return { tools, down, ...record };
}

interface MergeRecord {
  readonly shadowed: ShadowedTool[];
  readonly hidden: HiddenToolPlanEntry[];
  readonly warnings: Warning[];
}

function addContribution(contribution: Contribution, claims: Map<string, Claim>, record: MergeRecord): void {
  const twice = namesGivenTwice(contribution.tools);
  for (const tool of contribution.tools) {
    const key = canonicalNameOf(tool);
    if (twice?.has(key)) hide(record, tool, "duplicate-tool-name", describeTwice(tool, contribution));
    else claim(key, { tool, contribution }, { claims, record });
  }
}

/** Canonical names that one source gives more than once; undefined when it gives none twice. */
function namesGivenTwice(tools: readonly AnyTool[]): ReadonlySet<string> | undefined {
  const seen = new Set<string>();
  let twice: Set<string> | undefined;
  for (const tool of tools) {
    const key = canonicalNameOf(tool);
    const before = seen.size;
    if (seen.add(key).size === before) (twice ??= new Set()).add(key);
  }
  return twice;
}

function claim(
  key: string,
  challenger: Claim,
  { claims, record }: { readonly claims: Map<string, Claim>; readonly record: MergeRecord },
): void {
  const holder = claims.get(key);
  if (!holder) {
    claims.set(key, challenger);
    return;
  }
  const { tool } = challenger;
  const origins = { ours: originOf(tool), theirs: originOf(holder.tool) };
  if (!mayOverride(challenger, holder)) {
    hide(
      record,
      tool,
      "name-clash",
      `"${tool.descriptor.name}" of ${origins.ours} is hidden: ${origins.theirs} has the name`,
    );
    record.warnings.push(clashWarning(challenger, holder));
    return;
  }
  claims.delete(key);
  claims.set(key, challenger);
  record.shadowed.push({ name: tool.descriptor.name, origin: origins.theirs, by: origins.ours });
  record.warnings.push({
    code: "name-overridden",
    message: `"${tool.descriptor.name}" of ${origins.ours} takes the place of the one of ${origins.theirs}`,
  });
}

function mayOverride(challenger: Claim, holder: Claim): boolean {
  const { kind } = challenger.contribution;
  if (kind === "mcp" || kind === holder.contribution.kind) return false;
  return holder.contribution.kind !== "core" || challenger.tool.override === true;
}

function clashWarning({ tool, contribution }: Claim, holder: Claim): Warning {
  const [ours, theirs] = [originOf(tool), originOf(holder.tool)];
  const isCore = holder.contribution.kind === "core" && contribution.kind !== "mcp";
  return {
    code: "name-clash",
    message: `"${tool.descriptor.name}" of ${ours} is hidden, since ${theirs} has that name`,
    fix: isCore ? "Rename it, or set override: true on the tool to take a built-in's place." : "Rename one of them.",
  };
}

function hide(record: MergeRecord, { descriptor }: AnyTool, reason: HiddenReason, message: string): void {
  record.hidden.push({ descriptor, diagnostics: [{ reason, message }] });
}

function describeTwice(tool: AnyTool, { sourceId }: Contribution): string {
  return `source "${sourceId}" gives "${tool.descriptor.name}" more than once (case, dashes and underscores do not count)`;
}

function originOf({ descriptor }: AnyTool): string {
  return formatOrigin(descriptor.owner);
}

const canonicalNames = new WeakMap<AnyTool, string>();

/** Kept by tool: a rebuild of thousands of unchanged tools folds no name again. */
export function canonicalNameOf(tool: AnyTool): string {
  const known = canonicalNames.get(tool);
  if (known !== undefined) return known;
  const fresh = canonicalToolName(tool.descriptor.name);
  canonicalNames.set(tool, fresh);
  return fresh;
}
