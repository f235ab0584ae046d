import { clipText, isRecord } from "../json.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolOwnerRef } from "../tool/owner.ts";

/** Whom a tool came from. */
export interface Giver {
  readonly id: string;
  readonly kind: ToolOwnerRef["kind"];
}

/** A descriptor that can be listed, however broken the given one is. */
export function showDescriptor(descriptor: unknown, giver: Giver): ToolDescriptor {
  const text = (key: string): string | undefined => {
    const value = memberOf(descriptor, key);
    return typeof value === "string" ? clipText(value, 128) : undefined;
  };
  return Object.freeze({
    name: text("name") ?? "(unnamed)",
    description: text("description") ?? "",
    inputSchema: Object.freeze({ type: "object" }),
    owner: ownerOf(memberOf(descriptor, "owner"), giver),
  });
}

/** A member of whatever it is, of a revoked proxy too. */
export function memberOf(holder: unknown, key: string): unknown {
  try {
    return isRecord(holder) ? holder[key] : undefined;
  } catch {
    return undefined;
  }
}

/** The owner that the tool names, where it could be that; else whoever gave it. */
function ownerOf(owner: unknown, { id, kind }: Giver): ToolOwnerRef {
  const named = (key: string): string => {
    const given = memberOf(owner, "kind") === kind ? memberOf(owner, key) : undefined;
    return typeof given === "string" && given !== "" ? clipText(given, 128) : id;
  };
  switch (kind) {
    case "core":
    case "custom":
      return { kind };
    case "plugin":
      return { kind, pluginId: named("pluginId") };
    case "channel":
      return { kind, channelId: named("channelId") };
    case "mcp":
      return { kind, serverId: named("serverId") };
  }
}
