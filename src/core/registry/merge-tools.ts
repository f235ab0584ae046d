import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { HiddenReason, HiddenToolPlanEntry, Warning } from "../tool/diagnostic.ts";
import { formatOrigin, type ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import type { HeldTool } from "./inspect-tool.ts";
import type { ShadowedTool } from "./registry.ts";

/** One source's well-formed tools, with its place in the order of sources. */
export interface Contribution {
  readonly sourceId: string;
  readonly kind: ToolOwnerRef["kind"];
  readonly tools: readonly HeldTool[];
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

/**
 * Contributions to one Map. Names are unique by canonical name. Order of kinds: core, plugin, channel, mcp, custom; a later
 * kind takes the name of an earlier one, but mcp of nobody, and a name of core only with `override`. Of two sources of one
 * kind the first given keeps the name. Every override and clash is on record with both owners. The order of the Map is that
 * of kinds, then of contributions, then of their tools; the winner of a name stands where it was given.
 */
export function mergeTools(contributions: readonly Contribution[]): MergedTools {
  const inOrder = ORDER_OF_KINDS.flatMap((kind) => contributions.filter((contribution) => contribution.kind === kind));
  // That a source gives a name twice is rare, and to know it costs a set of all its names: only a source with a clash is asked.
  const merge = new Merge(NO_NAMES);
  if (merge.addAll(inOrder)) return merge.finish(inOrder);
  const again = new Merge(new Map(inOrder.map((each) => [each, namesGivenTwice(each.tools)])));
  again.addAll(inOrder);
  return again.finish(inOrder);
}

type NamesTwice = ReadonlyMap<Contribution, ReadonlySet<string>>;
const NO_NAMES: NamesTwice = new Map();

class Merge {
  readonly #tools = new Map<string, AnyTool>();
  /** Holders whose name is not its own canonical form, by that form; all others are found by their name. */
  readonly #spelled = new Map<string, AnyTool>();
  /** Canonical names of core that others took. */
  readonly #coreNames = new Set<string>();
  readonly #shadowed: ShadowedTool[] = [];
  readonly #hidden: HiddenToolPlanEntry[] = [];
  readonly #warnings: Warning[] = [];
  readonly #twice: NamesTwice;

  constructor(twice: NamesTwice) {
    this.#twice = twice;
  }

  /** False when a contribution turns out to give a name twice. */
  addAll(contributions: readonly Contribution[]): boolean {
    return contributions.every((contribution) => this.#add(contribution));
  }

  finish(contributions: readonly Contribution[]): MergedTools {
    const down = new Map<string, string>();
    for (const { isDown, tools, sourceId } of contributions) {
      if (!isDown) continue;
      for (const { tool, descriptor } of tools)
        if (this.#tools.get(descriptor.name) === tool) down.set(descriptor.name, sourceId);
    }
    return { tools: this.#tools, shadowed: this.#shadowed, hidden: this.#hidden, down, warnings: this.#warnings };
  }

  #add(contribution: Contribution): boolean {
    const twice = this.#twice.get(contribution);
    let isUnknown = twice === undefined;
    for (const held of contribution.tools) {
      if (twice?.has(held.key) === true) {
        this.#hide(held.descriptor, "duplicate-tool-name", describeTwice(held, contribution));
        continue;
      }
      const holder = this.#tools.get(held.key) ?? this.#spelled.get(held.key);
      if (holder === undefined) {
        this.#set(held);
        continue;
      }
      if (isUnknown && namesGivenTwice(contribution.tools).size > 0) return false;
      isUnknown = false;
      this.#contest(held, holder);
    }
    return true;
  }

  #set({ tool, descriptor, key }: HeldTool): void {
    this.#tools.set(descriptor.name, tool);
    if (descriptor.name !== key) this.#spelled.set(key, tool);
  }

  #contest(held: HeldTool, holder: AnyTool): void {
    const { descriptor, key, tool } = held;
    const origins = { ours: formatOrigin(descriptor.owner), theirs: formatOrigin(holder.descriptor.owner) };
    const isOfCore = holder.descriptor.owner.kind === "core" || this.#coreNames.has(key);
    const mayOverride =
      descriptor.owner.kind !== "mcp" &&
      descriptor.owner.kind !== holder.descriptor.owner.kind &&
      (!isOfCore || tool.override === true);
    if (!mayOverride) {
      this.#hide(
        descriptor,
        "name-clash",
        `"${descriptor.name}" of ${origins.ours} is hidden: ${origins.theirs} has the name`,
      );
      this.#warnings.push(clashWarning(descriptor, { origins, isOfCore }));
      return;
    }
    if (isOfCore) this.#coreNames.add(key);
    this.#tools.delete(holder.descriptor.name);
    this.#spelled.delete(key);
    this.#set(held);
    this.#shadowed.push({ name: descriptor.name, origin: origins.theirs, by: origins.ours });
    this.#warnings.push({
      code: "name-overridden",
      message: `"${descriptor.name}" of ${origins.ours} takes the place of the one of ${origins.theirs}`,
    });
  }

  #hide(descriptor: ToolDescriptor, reason: HiddenReason, message: string): void {
    this.#hidden.push({ descriptor, diagnostics: [{ reason, message }] });
  }
}

/** Canonical names that one source gives more than once. */
function namesGivenTwice(tools: readonly HeldTool[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { key } of tools) {
    if (seen.has(key)) twice.add(key);
    seen.add(key);
  }
  return twice;
}

function clashWarning(
  { name, owner }: ToolDescriptor,
  {
    origins,
    isOfCore,
  }: { readonly origins: { readonly ours: string; readonly theirs: string }; readonly isOfCore: boolean },
): Warning {
  const mayTake = isOfCore && owner.kind !== "mcp" && owner.kind !== "core";
  return {
    code: "name-clash",
    message: `"${name}" of ${origins.ours} is hidden, since ${origins.theirs} has that name`,
    fix: mayTake ? "Rename it, or set override: true on the tool to take a built-in's place." : "Rename one of them.",
  };
}

function describeTwice({ descriptor }: HeldTool, { sourceId }: Contribution): string {
  return `source "${sourceId}" gives "${descriptor.name}" more than once (case, dashes and underscores do not count)`;
}
