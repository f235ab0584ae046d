import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";
import type { AnyTool } from "../tool/tool.ts";
import { isOwnerKind } from "./find-tool-fault.ts";
import { type HeldTool, inspectTool } from "./inspect-tool.ts";
import type { Contribution } from "./merge-tools.ts";

/** The id under which the program's own tools are on record. */
const PROGRAM = "program";

/**
 * The program's own tools by owner: most are custom; a built-in passed as a tool stays a built-in. Throws ToolmapError `bad-tool`
 * for a malformed one, `duplicate-tool-name` for two of one canonical name.
 */
export function ownContributions(tools: readonly AnyTool[]): readonly Contribution[] {
  const names = new Map<string, string>();
  const byKind = new Map<ToolOwnerRef["kind"], HeldTool[]>();
  for (const tool of tools) {
    const kind = kindOf(tool);
    const inspection = inspectTool(tool, { id: PROGRAM, kind });
    if ("fault" in inspection)
      throw new ToolmapError("bad-tool", `A tool of the program cannot be used: ${inspection.fault.message}.`);
    const { held } = inspection;
    assertNew(held, names);
    const others = byKind.get(kind);
    if (others) others.push(held);
    else byKind.set(kind, [held]);
  }
  return [...byKind].map(([kind, own]) => ({ sourceId: PROGRAM, kind, tools: own, isDown: false }));
}

/** Custom where it is none that exists: the inspection says what is wrong with it. */
function kindOf(tool: unknown): ToolOwnerRef["kind"] {
  try {
    const owner = isRecord(tool) && isRecord(tool["descriptor"]) ? tool["descriptor"]["owner"] : undefined;
    const kind = isRecord(owner) ? owner["kind"] : undefined;
    return isOwnerKind(kind) ? kind : "custom";
  } catch {
    return "custom";
  }
}

function assertNew({ key, descriptor }: HeldTool, names: Map<string, string>): void {
  const other = names.get(key);
  if (other !== undefined)
    throw new ToolmapError(
      "duplicate-tool-name",
      `The program passed two tools named "${other}" and "${descriptor.name}".`,
      { fix: "Rename one: case, dashes and underscores do not tell names apart." },
    );
  names.set(key, descriptor.name);
}
