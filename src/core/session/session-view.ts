import { definitionDigest } from "../dispatch/approval-digest.ts";
import { buildView, findTool, type View, type ViewGates } from "../policy/view.ts";
import type { CompiledPolicy } from "../policy/policy.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { AvailabilityContext } from "../tool/availability.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { SkippedTool } from "./agent-session.ts";

/** The tools that a model request would carry now. The same object while nothing changed. */
export interface ActiveTools {
  readonly view: View;
  readonly descriptors: readonly ToolDescriptor[];
  readonly names: ReadonlySet<string>;
}

/** A session's newest view of the registry, and which of the visible tools this conversation uses. */
export class SessionView {
  readonly #registry: ToolRegistry;
  readonly #policy: CompiledPolicy;
  readonly #availability: AvailabilityContext | undefined;
  readonly #gates: ViewGates;
  /** What the user wants active, apart from what exists; undefined = every visible tool, new ones too. */
  #wanted: ReadonlySet<string> | undefined;
  #view: View | undefined;
  #active: ActiveTools | undefined;
  /** Kept while the definitions stay the same, so that whoever caches by this array keeps its cache. */
  #lastSent: readonly ToolDescriptor[] = [];

  constructor(options: {
    readonly registry: ToolRegistry;
    readonly policy: CompiledPolicy;
    readonly availability: AvailabilityContext | undefined;
    readonly gates: ViewGates;
  }) {
    this.#registry = options.registry;
    this.#policy = options.policy;
    this.#availability = options.availability;
    this.#gates = options.gates;
  }

  get current(): View {
    const { current: registry } = this.#registry;
    if (this.#view?.registry === registry) return this.#view;
    this.#view = buildView({ registry, policy: this.#policy, availability: this.#availability, gates: this.#gates });
    return this.#view;
  }

  get active(): ActiveTools {
    const view = this.current;
    if (this.#active?.view === view) return this.#active;
    const wanted = this.#wanted;
    const descriptors = wanted ? view.visible.filter(({ name }) => wanted.has(name)) : view.visible;
    if (!sameDefinitions(this.#lastSent, descriptors)) this.#lastSent = Object.freeze([...descriptors]);
    this.#active = { view, descriptors: this.#lastSent, names: new Set(descriptors.map(({ name }) => name)) };
    return this.#active;
  }

  isActive(name: string): boolean {
    return this.#wanted === undefined || this.#wanted.has(name);
  }

  /** Unknown and hidden names are skipped, each with its reason. */
  setActive(names: readonly string[]): {
    readonly active: readonly string[];
    readonly skipped: readonly SkippedTool[];
  } {
    const wanted = new Set<string>();
    const skipped: SkippedTool[] = [];
    for (const name of names) {
      const entry = findTool(this.current, name)?.entry;
      const hidden = entry?.hidden?.diagnostics.map(({ message }) => message).join("; ");
      if (!entry) skipped.push({ name, reason: "no tool of this name" });
      else if (hidden !== undefined) skipped.push({ name, reason: hidden });
      else wanted.add(entry.descriptor.name);
    }
    this.#wanted = wanted;
    this.#active = undefined;
    return { active: this.active.descriptors.map(({ name }) => name), skipped };
  }
}

/** The same descriptor objects in the same order, else the same digests: then the same array goes on being sent. */
function sameDefinitions(before: readonly ToolDescriptor[], now: readonly ToolDescriptor[]): boolean {
  if (before.length !== now.length) return false;
  return before.every((descriptor, at) => {
    const other = now[at];
    return descriptor === other || (other !== undefined && definitionDigest(descriptor) === definitionDigest(other));
  });
}
