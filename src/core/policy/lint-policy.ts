import type { SourceState } from "../registry/registry.ts";
import type { Caller } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { Warning } from "../tool/diagnostic.ts";
import { nearestNames } from "../tool/name.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import { entryFor } from "./decide-tool.ts";
import { matchGlob } from "./glob.ts";
import { KNOWN_BUILT_INS } from "./groups.ts";
import { compileEntry, type ParsedEntry, parseEntry } from "./parse-entry.ts";
import type { CompiledEntry, CompiledLayer, CompiledPolicy } from "./policy.ts";

/** Everything that exists for a policy to speak of. */
export interface PolicyUniverse {
  /** Hidden tools too. */
  readonly descriptors: readonly ToolDescriptor[];
  readonly sources: readonly SourceState[];
  readonly sourceKinds: ReadonlyMap<string, ToolOwnerRef["kind"]>;
}

export interface PolicyLint {
  /** Holes: an unknown name in deny, denySelf or ask. They stop the start. */
  readonly errors: readonly Warning[];
  readonly warnings: readonly Warning[];
}

/** Compares every entry with what exists. */
export function lintPolicy(policy: CompiledPolicy, universe: PolicyUniverse): PolicyLint {
  const errors: Warning[] = [];
  const warnings: Warning[] = [];
  for (const layer of policy.compiled) {
    for (const entry of entriesOf(layer)) {
      const found = lintPresence(entry.parsed, entry.text, universe);
      if (found) (isError(found, entry) ? errors : warnings).push(placed(found, entry));
      else warnings.push(...lintMeaning(layer, entry, universe));
    }
  }
  return { errors, warnings };
}

/** Those that stop the start: a hole, and what reads like a rule and can never be one. */
function isError({ isHole, isVain }: Finding, { rule }: CompiledEntry): boolean {
  return isVain === true || (isHole && RESTRICTING.has(rule.list));
}

const RESTRICTING: ReadonlySet<string> = new Set(["deny", "denySelf", "ask"]);

/** What a hook's `tools` entries have to say for themselves. */
export function lintEntries(entries: readonly string[], universe: PolicyUniverse, where: string): readonly Warning[] {
  return entries.flatMap((text) => {
    const parsed = parseEntry(text);
    const found = parsed.kind === "fault" ? undefined : lintPresence(parsed, text, universe);
    return found
      ? [
          {
            code: found.code,
            message: `${where}: ${found.message}`,
            ...(found.fix === undefined ? {} : { fix: found.fix }),
          },
        ]
      : [];
  });
}

interface Finding {
  readonly code: string;
  readonly message: string;
  readonly fix?: string | undefined;
  /** In a list that restricts, nobody is restricted by it. */
  readonly isHole: boolean;
  /** It could match only by the name that an MCP tool has in the Map, which rules do not bind to. */
  readonly isVain?: true;
}

/** Whether what an entry means is here; else whether it may still come, is known and not here, or is unknown. */
function lintPresence(
  parsed: ParsedEntry,
  text: string,
  { descriptors, sources, sourceKinds }: PolicyUniverse,
): Finding | undefined {
  if (parsed.kind !== "name" && parsed.kind !== "origin") return undefined;
  if (descriptors.some(compileEntry(parsed))) return undefined;
  const awaited = sources.find(
    (source) => source.state !== "ready" && mayBring(source.id, sourceKinds.get(source.id), parsed),
  );
  if (awaited) {
    return {
      code: "policy-waiting",
      message: `"${text}" waits for ${awaited.id}, which is ${awaited.state}`,
      isHole: false,
    };
  }
  if (
    parsed.kind === "name" &&
    (parsed.isGlob
      ? [...KNOWN_BUILT_INS].some((name) => matchGlob(parsed.pattern, name))
      : KNOWN_BUILT_INS.has(parsed.pattern))
  ) {
    return { code: "policy-not-here", message: `"${text}" is a known built-in that is not here`, isHole: false };
  }
  const byMapName = parsed.kind === "name" ? mapNameOf(text) : undefined;
  if (byMapName) {
    return {
      code: "policy-mcp-by-name",
      message: `"${text}" could match a tool of an MCP server only by its name in the Map`,
      fix: `Write mcp:${byMapName.server}/${byMapName.tool}.`,
      isHole: true,
      isVain: true,
    };
  }
  const [near] = nearestNames(text, descriptors.map(entryFor), 1);
  return {
    code: "policy-unknown-entry",
    message: `"${text}" is unknown: no tool is meant by it`,
    fix: near === undefined ? "Remove it, or correct the name." : `Did you mean "${near}"?`,
    isHole: true,
  };
}

/** `server__tool`, as the tools of MCP servers are named in the Map. */
function mapNameOf(text: string): { readonly server: string; readonly tool: string } | undefined {
  const [, server, tool] = /^([A-Za-z0-9-]+)__(.+)$/.exec(text) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** Whether a source that is not there yet could bring what the entry means. */
function mayBring(
  id: string,
  kind: ToolOwnerRef["kind"] | undefined,
  parsed: Extract<ParsedEntry, { readonly kind: "name" | "origin" }>,
): boolean {
  if (parsed.kind === "name") return kind !== "mcp";
  if (!parsed.origin.startsWith(`${kind}:`)) return false;
  const owner = parsed.origin.slice(parsed.origin.indexOf(":") + 1);
  return matchGlob(owner, id) || matchGlob(parsed.origin, id);
}

/** An entry that is there and does not do what its author thinks. */
function lintMeaning(layer: CompiledLayer, entry: CompiledEntry, { descriptors }: PolicyUniverse): readonly Warning[] {
  const { list } = entry.rule;
  const found: Finding[] = [];
  const meant = descriptors.filter((descriptor) => entry.matches(descriptor));
  if (list === "approve" && entry.parsed.kind !== "name" && isBroad(entry.parsed)) {
    found.push({
      code: "policy-too-broad",
      message: `"${entry.text}" in approve lets everything it means run without asking`,
      isHole: false,
    });
  }
  if ((list === "approve" || list === "allow") && meant.length > 0) {
    const stricter = [...layer.deny, ...layer.denySelf, ...(list === "approve" ? layer.ask : [])];
    const isCovered = meant.every((descriptor) => stricter.some((other) => other.matches(descriptor)));
    const same = stricter.find(({ text }) => text === entry.text);
    if (same) {
      found.push({
        code: "policy-contradiction",
        message: `"${entry.text}" stands in ${list} and in ${same.rule.list}; ${same.rule.list} wins`,
        isHole: false,
      });
    } else if (isCovered) {
      found.push({
        code: "policy-shadowed",
        message: `"${entry.text}" in ${list} has no effect: stricter rules of the layer cover all of it`,
        isHole: false,
      });
    }
  }
  return found.map((each) => placed(each, entry));
}

function isBroad(parsed: ParsedEntry): boolean {
  if (parsed.kind === "every" || (parsed.kind === "owners" && parsed.owner !== "custom")) return true;
  return parsed.kind === "origin" && (parsed.origin.endsWith(":*") || parsed.origin.endsWith("*"));
}

/** Says that no tool is visible, and which layer took away the last ones. */
export function noToolVisible(policy: CompiledPolicy, descriptors: readonly ToolDescriptor[]): Warning | undefined {
  const denied = descriptors.flatMap((descriptor) => {
    const { verdict, rule } = policy.decide(descriptor, MODEL);
    return verdict === "deny" && rule ? [rule] : [];
  });
  const last = denied.at(-1);
  if (!last) return { code: "no-tool-visible", message: "No tool is visible: none of them is available here." };
  const layers = [...new Set(denied.map(({ layer }) => `"${layer}"`))].join(", ");
  return {
    code: "no-tool-visible",
    message: `No tool is visible: the policy hides all of them (layer ${layers}).`,
    fix: `Allow a tool in layer "${last.layer}".`,
    ...(last.source === undefined ? {} : { source: last.source }),
  };
}

/** Without an approver these visible tools, for which a model's call asks, can only be rejected: said once, when a session is created. */
export function describeRejectOnly(asking: readonly ToolDescriptor[]): Warning | undefined {
  if (asking.length === 0) return undefined;
  const shown =
    asking.slice(0, 10).map(entryFor).join(", ") + (asking.length > 10 ? ` and ${asking.length - 10} more` : "");
  return {
    code: "ask-without-approver",
    message: `There is no approver, so a model's call of these can only be rejected: ${shown}.`,
    fix: 'Pass an approver, add them to approve of a layer, or set defaults: { ask: "never" }.',
  };
}

const MODEL: Caller = Object.freeze({ kind: "model" });

function entriesOf(layer: CompiledLayer): readonly CompiledEntry[] {
  return [...(layer.allow ?? []), ...layer.alsoAllow, ...layer.deny, ...layer.denySelf, ...layer.ask, ...layer.approve];
}

function placed({ code, message, fix }: Finding, { rule }: CompiledEntry): Warning {
  return {
    code,
    message: `Layer "${rule.layer}", ${rule.list}: ${message}.`,
    ...(fix === undefined ? {} : { fix }),
    ...(rule.source === undefined ? {} : { source: rule.source }),
  };
}
