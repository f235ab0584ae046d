/** Who defines a tool and answers for it. */
export type ToolOwnerRef =
  | { readonly kind: "core" }
  | { readonly kind: "custom" }
  | { readonly kind: "plugin"; readonly pluginId: string }
  | { readonly kind: "channel"; readonly channelId: string; readonly pluginId?: string }
  | { readonly kind: "mcp"; readonly serverId: string };

/** Where a tool's code is. Data for people and logs; nothing parses it. */
export type ToolExecutorRef =
  | { readonly kind: "core"; readonly executorId: string }
  | { readonly kind: "custom"; readonly toolName: string }
  | { readonly kind: "plugin"; readonly pluginId: string; readonly toolName: string }
  | { readonly kind: "channel"; readonly channelId: string; readonly actionId: string }
  | { readonly kind: "mcp"; readonly serverId: string; readonly toolName: string };

/** The owner as text: `core`, `custom`, `plugin:acme`, `channel:x`, `mcp:github`. */
export function formatOrigin(owner: ToolOwnerRef): string {
  switch (owner.kind) {
    case "core":
    case "custom":
      return owner.kind;
    case "plugin":
      return `plugin:${owner.pluginId}`;
    case "channel":
      return `channel:${owner.channelId}`;
    case "mcp":
      return `mcp:${owner.serverId}`;
  }
}

/** The executor ref as text, for diagnostics: `core:read`, `plugin:acme:deploy`, `mcp:github:create_issue`. */
export function formatToolExecutorRef(ref: ToolExecutorRef): string {
  switch (ref.kind) {
    case "core":
      return `core:${ref.executorId}`;
    case "custom":
      return `custom:${ref.toolName}`;
    case "plugin":
      return `plugin:${ref.pluginId}:${ref.toolName}`;
    case "channel":
      return `channel:${ref.channelId}:${ref.actionId}`;
    case "mcp":
      return `mcp:${ref.serverId}:${ref.toolName}`;
  }
}

/** A tool's own name at its origin: what its server, plugin or channel calls it. */
export function rawToolName({
  name,
  executor,
}: {
  readonly name: string;
  readonly executor?: ToolExecutorRef | undefined;
}): string {
  switch (executor?.kind) {
    case "plugin":
    case "mcp":
      return executor.toolName;
    case "channel":
      return executor.actionId;
    default:
      return name;
  }
}
