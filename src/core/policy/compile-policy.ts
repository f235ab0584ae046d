import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import { nearestNames } from "../tool/name.ts";
import { decideTool } from "./decide-tool.ts";
import type { Trusts } from "./hints.ts";
import { compileEntry, parseEntry } from "./parse-entry.ts";
import type {
  AskDefault,
  CompiledEntry,
  CompiledLayer,
  CompiledPolicy,
  Places,
  PolicyLayer,
  PolicyList,
  PolicyRule,
} from "./policy.ts";
import { PROFILE_NAMES, profileMatcher } from "./profiles.ts";

export interface PolicyOptions {
  /** When a model's call asks where no rule speaks. @default "writes" */
  readonly ask?: AskDefault;
  readonly places?: Places;
  readonly trusts?: Trusts;
}

/**
 * Checks and compiles layers once, for list time and call time. Throws ToolmapError `bad-policy` for what cannot be used;
 * whether entries match anything that exists is `lintPolicy`'s.
 */
export function compilePolicy(layers: readonly PolicyLayer[], options: PolicyOptions = {}): CompiledPolicy {
  if (!Array.isArray(layers)) throw new ToolmapError("bad-policy", "A policy must be a list of layers.");
  const names = new Set<string>();
  const compiled = layers.map((layer: PolicyLayer, index) =>
    compileLayer(layer, { index, names, places: options.places, trusts: options.trusts }),
  );
  const settings = { ask: options.ask ?? "writes", trusts: options.trusts } as const;
  return Object.freeze({
    layers,
    compiled,
    decide: (descriptor, { kind }) => decideTool(compiled, descriptor, { ...settings, caller: kind }),
  } satisfies CompiledPolicy);
}

/** What a child session inherits: all but what binds the parent alone, under names that the child's own cannot take. */
export function childLayers(layers: readonly PolicyLayer[]): readonly PolicyLayer[] {
  return layers.map((layer) => {
    const inherited: { -readonly [K in keyof PolicyLayer]: PolicyLayer[K] } = {
      ...layer,
      name: `${INHERITED}${layer.name}`,
    };
    delete inherited.denySelf;
    return inherited;
  });
}

const INHERITED = "parent ";

/** Finds the places of inherited layers with the parent's port, those of the child's own with its own. */
export function childPlaces(parent: Places | undefined, own: Places | undefined): Places {
  return {
    placeOf: (layer, list, index) =>
      layer.startsWith(INHERITED)
        ? parent?.placeOf(layer.slice(INHERITED.length), list, index)
        : own?.placeOf(layer, list, index),
  };
}

const LISTS = ["allow", "alsoAllow", "deny", "denySelf", "ask", "approve"] as const;
const KEYS: readonly string[] = ["name", "profile", ...LISTS];

interface LayerContext {
  readonly index: number;
  readonly names: Set<string>;
  readonly places: Places | undefined;
  readonly trusts: Trusts | undefined;
}

function compileLayer(layer: PolicyLayer, { index, names, places, trusts }: LayerContext): CompiledLayer {
  const given: unknown = layer;
  if (!isRecord(given)) throw new ToolmapError("bad-policy", `Policy layer ${index} is not an object.`);
  const { name } = given;
  if (typeof name !== "string" || name === "")
    throw new ToolmapError("bad-policy", `Policy layer ${index} has no name.`, {
      fix: "Name it: every decision says which layer made it.",
    });
  if (names.has(name))
    throw new ToolmapError("bad-policy", `Two policy layers are named "${name}".`, { fix: "Give each its own name." });
  names.add(name);
  assertKeys(given, name);
  const list = (key: (typeof LISTS)[number]): readonly CompiledEntry[] | undefined => compileList(layer, key, places);
  const profile = compileProfile(layer, places, trusts);
  if (layer.alsoAllow !== undefined && !profile) {
    throw new ToolmapError(
      "bad-policy",
      `Layer "${name}" has alsoAllow and no profile, so there is nothing to widen.`,
      {
        fix: "Name a profile, or use allow.",
        source: places?.placeOf(name, "alsoAllow", -1),
      },
    );
  }
  return {
    name,
    profile,
    allow: list("allow"),
    allowRule: layer.allow && ruleOf(layer, "allow", { text: `allow [${layer.allow.join(", ")}]`, index: -1, places }),
    alsoAllow: list("alsoAllow") ?? [],
    deny: list("deny") ?? [],
    denySelf: list("denySelf") ?? [],
    ask: list("ask") ?? [],
    approve: list("approve") ?? [],
  };
}

function assertKeys(layer: Readonly<Record<string, unknown>>, name: string): void {
  for (const key of Object.keys(layer)) {
    if (KEYS.includes(key)) continue;
    const [near] = nearestNames(key, KEYS, 1);
    throw new ToolmapError("bad-policy", `Layer "${name}" has an unknown member "${key}".`, {
      fix: near === undefined ? `A layer has ${KEYS.join(", ")}.` : `Did you mean "${near}"?`,
    });
  }
}

function compileProfile(
  layer: PolicyLayer,
  places: Places | undefined,
  trusts: Trusts | undefined,
): CompiledLayer["profile"] {
  const { profile: name } = layer;
  if (name === undefined) return undefined;
  const matches = profileMatcher(name);
  const rule = ruleOf(layer, "profile", { text: `profile ${name}`, index: -1, places });
  if (!matches) {
    const [near] = nearestNames(name, PROFILE_NAMES, 1);
    throw new ToolmapError(
      "bad-policy",
      `Layer "${layer.name}" names the profile ${JSON.stringify(name)}, which does not exist.`,
      {
        fix: near === undefined ? `The profiles are ${PROFILE_NAMES.join(", ")}.` : `Did you mean "${near}"?`,
        source: rule.source,
      },
    );
  }
  return { rule, matches: (descriptor) => matches(descriptor, trusts) };
}

function compileList(
  layer: PolicyLayer,
  list: (typeof LISTS)[number],
  places: Places | undefined,
): readonly CompiledEntry[] | undefined {
  const entries: unknown = layer[list];
  if (entries === undefined) return undefined;
  if (!Array.isArray(entries)) {
    throw new ToolmapError("bad-policy", `Layer "${layer.name}": ${list} must be a list of entries.`, {
      source: places?.placeOf(layer.name, list, -1),
    });
  }
  return entries.map((text: unknown, index) => {
    const rule = ruleOf(layer, list, { text: `${list} ${String(text)}`, index, places });
    const parsed = parseEntry(text);
    if (parsed.kind === "fault") {
      throw new ToolmapError("bad-policy", `Layer "${layer.name}", ${list}: ${parsed.message}.`, {
        fix: parsed.fix,
        source: rule.source,
      });
    }
    return { parsed, text: String(text), rule, matches: compileEntry(parsed) };
  });
}

function ruleOf(
  layer: PolicyLayer,
  list: PolicyList,
  { text, index, places }: { readonly text: string; readonly index: number; readonly places: Places | undefined },
): PolicyRule {
  const source = places?.placeOf(layer.name, list, index);
  return Object.freeze({ layer: layer.name, list, text, ...(source === undefined ? {} : { source }) });
}
