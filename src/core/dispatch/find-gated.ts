import { KNOWN_BUILT_INS } from "../policy/groups.ts";
import type { View } from "../policy/view.ts";
import { canonicalToolName } from "../tool/name.ts";
import { formatOrigin } from "../tool/owner.ts";

/** A tool that the gates of a session keep out of its view, whose it is, why, and what would let it in. */
export interface GatedTool {
  readonly origin: string;
  readonly why: string;
  readonly fix: string;
}

/** A tool of the registry that is in no view of this session, or a built-in that no registry of this session has. */
export function findGated(name: string, { registry, gates }: View): GatedTool | undefined {
  const key = canonicalToolName(name);
  const tool = [...registry.tools.values()].find(({ descriptor }) => canonicalToolName(descriptor.name) === key);
  const isBuiltIn = tool ? tool.descriptor.owner.kind === "core" : KNOWN_BUILT_INS.has(key);
  const [why, fixes]: [string[], string[]] = [[], []];
  if (gates.disableBuiltInTools && isBuiltIn) {
    why.push("built-in tools are switched off (disableBuiltInTools)");
    fixes.push("create the session without disableBuiltInTools");
  }
  if (gates.allowedToolNames?.has(key) === false && (tool || why.length > 0)) {
    why.push("it is not among the session's allowedToolNames");
    fixes.push(`add "${tool?.descriptor.name ?? name}" to the session's allowedToolNames`);
  }
  if (why.length === 0) return undefined;
  const origin = tool ? formatOrigin(tool.descriptor.owner) : "core";
  return { origin, why: why.join("; "), fix: fixes.join(" and ") };
}
