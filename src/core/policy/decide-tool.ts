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
  const denied = findDenial(layers, descriptor);
  if (denied) return denied;
  const asked = options.caller === "person" ? [] : rulesOf(layers, descriptor, "ask");
  const [first] = asked;
  if (first) return written("ask", { rule: first, asked });
  const [approved] = rulesOf(layers, descriptor, "approve");
  if (approved) return written("allow", { rule: approved, asked: NONE });
  return decideByDefault(descriptor, options);
}

const NONE: readonly PolicyRule[] = Object.freeze([]);

function findDenial(layers: readonly CompiledLayer[], descriptor: ToolDescriptor): PolicyDecision | undefined {
  for (const layer of layers) {
    const entry = [...layer.deny, ...layer.denySelf].find((each) => each.matches(descriptor));
    if (entry) return written("deny", { rule: entry.rule, asked: NONE });
    const outside = findOutside(layer, descriptor);
    if (outside) return outside;
  }
  return undefined;
}

/** A layer lets through (profile ∪ alsoAllow) ∩ allow. */
function findOutside(layer: CompiledLayer, descriptor: ToolDescriptor): PolicyDecision | undefined {
  const { profile, allowRule } = layer;
  if (profile && !profile.matches(descriptor) && !matchesAny(layer.alsoAllow, descriptor)) {
    return outside(
      profile.rule,
      `add "${entryFor(descriptor)}" to alsoAllow of layer "${layer.name}"${placeOf(profile.rule)}`,
    );
  }
  if (layer.allow && allowRule && !matchesAny(layer.allow, descriptor)) {
    return outside(allowRule, `add "${entryFor(descriptor)}" to allow of layer "${layer.name}"${placeOf(allowRule)}`);
  }
  return undefined;
}

function outside(rule: PolicyRule, fix: string): PolicyDecision {
  return Object.freeze({
    verdict: "deny",
    rule,
    message: `it is outside ${rule.text} of layer "${rule.layer}"${placeOf(rule)}.`,
    fix,
    asked: NONE,
  });
}

function written(
  verdict: PolicyDecision["verdict"],
  { rule, asked }: { readonly rule: PolicyRule; readonly asked: readonly PolicyRule[] },
): PolicyDecision {
  const message = `rule "${rule.text}" of layer "${rule.layer}"${placeOf(rule)}.`;
  const fix =
    verdict === "allow"
      ? undefined
      : `remove "${rule.text.slice(rule.list.length + 1)}" from ${rule.list} of layer "${rule.layer}"${placeOf(rule)}`;
  return Object.freeze({ verdict, rule, message, asked, ...(fix === undefined ? {} : { fix }) });
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
