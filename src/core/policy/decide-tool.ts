import type { Caller } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import { formatOrigin, rawToolName } from "../tool/owner.ts";
import { isDestructive, isReadOnly, type Trusts } from "./hints.ts";
import type { AskDefault, CompiledEntry, CompiledLayer, PolicyDecision, PolicyRule } from "./policy.ts";

export interface DecideOptions {
  readonly caller: Caller["kind"];
  readonly ask: AskDefault;
  readonly trusts: Trusts | undefined;
}

/**
 * Strictest first: denied by any layer, or outside some layer's allow → deny; a written ask → ask, which binds all but a
 * person; a matching approve → allow; else the default. The order of layers decides only which of them is named.
 */
export function decideTool(
  layers: readonly CompiledLayer[],
  descriptor: ToolDescriptor,
  options: DecideOptions,
): PolicyDecision {
  const denials = layers.flatMap((layer) => findDenials(layer, descriptor));
  const [denied] = denials;
  if (denied) return decision("deny", { ...denied, fixes: denials.map(({ fix }) => fix) });
  const asked = options.caller === "person" ? [] : rulesOf(layers, descriptor, "ask");
  const [first] = asked;
  const [approved] = rulesOf(layers, descriptor, "approve");
  if (first) {
    const otherwise = approved ? undefined : decideByDefault(descriptor, options).fix;
    const fixes = [...asked.map(removalOf), ...(otherwise === undefined ? [] : [otherwise])];
    return decision("ask", { rule: first, message: messageOf(first), fixes, asked });
  }
  if (approved) return decision("allow", { rule: approved, message: messageOf(approved), fixes: [] });
  return decideByDefault(descriptor, options);
}

const NONE: readonly PolicyRule[] = Object.freeze([]);

/** A rule that keeps a tool out, in words, with what would undo it. */
interface Denial {
  readonly rule: PolicyRule;
  readonly message: string;
  readonly fix: string;
}

/** A layer lets through (profile ∪ alsoAllow) ∩ allow, less what it denies. */
function findDenials(layer: CompiledLayer, descriptor: ToolDescriptor): readonly Denial[] {
  const found: Denial[] = [];
  for (const entry of [...layer.deny, ...layer.denySelf]) {
    const { rule } = entry;
    if (entry.matches(descriptor)) found.push({ rule, message: messageOf(rule), fix: removalOf(rule) });
  }
  const { profile, allowRule } = layer;
  if (profile && !profile.matches(descriptor) && !matchesAny(layer.alsoAllow, descriptor)) {
    found.push(outside(descriptor, profile.rule, "alsoAllow"));
  }
  if (layer.allow && allowRule && !matchesAny(layer.allow, descriptor)) {
    found.push(outside(descriptor, allowRule, "allow"));
  }
  return found;
}

function outside(descriptor: ToolDescriptor, rule: PolicyRule, list: "allow" | "alsoAllow"): Denial {
  return {
    rule,
    message: `it is outside ${rule.text} of layer "${rule.layer}"${placeOf(rule)}.`,
    fix: `add "${entryFor(descriptor)}" to ${list} of layer "${rule.layer}"${placeOf(rule)}`,
  };
}

function messageOf(rule: PolicyRule): string {
  return `rule "${rule.text}" of layer "${rule.layer}"${placeOf(rule)}.`;
}

function removalOf(rule: PolicyRule): string {
  return `remove "${rule.text.slice(rule.list.length + 1)}" from ${rule.list} of layer "${rule.layer}"${placeOf(rule)}`;
}

/** Nothing less than all the fixes together flips the answer. */
function decision(
  verdict: PolicyDecision["verdict"],
  {
    rule,
    message,
    fixes,
    asked = NONE,
  }: {
    readonly rule: PolicyRule;
    readonly message: string;
    readonly fixes: readonly string[];
    readonly asked?: readonly PolicyRule[];
  },
): PolicyDecision {
  const fix = [...new Set(fixes)].join(" and ");
  return Object.freeze({ verdict, rule, message, asked, ...(fix === "" ? {} : { fix }) });
}

/** Where no rule speaks: passing a tool of one's own is consent, and reading harms nobody. Only a model's calls ask. */
function decideByDefault(descriptor: ToolDescriptor, { caller, ask, trusts }: DecideOptions): PolicyDecision {
  if (caller !== "model") return allow(`no rule speaks, and only a model's calls ask by default (caller: ${caller}).`);
  if (ask === "never") return allow('no rule speaks, and defaults.ask is "never".');
  if (ask === "writes") {
    if (isReadOnly(descriptor, trusts)) return allow("no rule speaks, and the tool only reads.");
    if (descriptor.owner.kind === "custom" && !isDestructive(descriptor))
      return allow("no rule speaks, and the tool is the program's own.");
  }
  return Object.freeze({
    verdict: "ask",
    message: `no rule speaks, and ${whyAsked(descriptor, ask)}.`,
    fix: `add "${entryFor(descriptor)}" to approve of a layer`,
    asked: NONE,
  });
}

function allow(message: string): PolicyDecision {
  return Object.freeze({ verdict: "allow", message, asked: NONE });
}

function whyAsked(descriptor: ToolDescriptor, ask: AskDefault): string {
  if (ask === "always") return 'defaults.ask is "always"';
  if (isDestructive(descriptor)) return "the tool is marked as destructive";
  const { annotations, owner } = descriptor;
  const ignored = annotations?.readOnlyHint === true ? "; its own read-only hint does not count" : "";
  return `a tool of ${formatOrigin(owner)} that may write asks${ignored}`;
}

function rulesOf(
  layers: readonly CompiledLayer[],
  descriptor: ToolDescriptor,
  list: "ask" | "approve",
): readonly PolicyRule[] {
  return layers.flatMap((layer) => layer[list].filter((entry) => entry.matches(descriptor)).map(({ rule }) => rule));
}

function matchesAny(entries: readonly CompiledEntry[], descriptor: ToolDescriptor): boolean {
  return entries.some((entry) => entry.matches(descriptor));
}

/** The entry that means exactly this tool. */
export function entryFor(descriptor: ToolDescriptor): string {
  return descriptor.owner.kind === "mcp"
    ? `${formatOrigin(descriptor.owner)}/${rawToolName(descriptor)}`
    : descriptor.name;
}

function placeOf({ source }: PolicyRule): string {
  return source === undefined ? "" : ` (${source})`;
}
