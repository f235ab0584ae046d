import type { AgentSession } from "../core/session/agent-session.ts";
import { formatOrigin, rawToolName, type ToolOwnerRef } from "../core/tool/owner.ts";
import type { BoundTool } from "../core/tool/tool.ts";

/**
 * The name that a session knows a tool by. `server/tool` and `origin/tool` name a tool at its origin; whatever names no
 * tool comes back unchanged, for the session to answer.
 */
export function resolveToolName(name: string, { tools }: Pick<AgentSession, "tools">): string {
  if (tools.has(name)) return name;
  const [, owner = "", raw = ""] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  const isIt = ({ descriptor }: BoundTool): boolean =>
    namesOf(descriptor.owner).includes(owner) && rawToolName(descriptor) === raw;
  return [...tools.values()].find(isIt)?.descriptor.name ?? name;
}

function namesOf(owner: ToolOwnerRef): readonly string[] {
  switch (owner.kind) {
    case "core":
    case "custom":
      return [owner.kind];
    case "plugin":
      return [formatOrigin(owner), owner.pluginId];
    case "channel":
      return [formatOrigin(owner), owner.channelId];
    case "mcp":
      return [formatOrigin(owner), owner.serverId];
  }
}
