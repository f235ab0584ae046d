import type { AgentTool, JsonObject, ToolAnnotations, ToolContext, ToolOwnerRef, ToolSource } from "toolmap";
import type { SourceSnapshot } from "toolmap";

/** A gate that a test opens: whatever awaits `opened` goes on then. */
export function gate<T = void>(): { readonly opened: Promise<T>; open(value: T): void; fail(error: unknown): void } {
  const { promise, resolve, reject } = Promise.withResolvers ? Promise.withResolvers<T>() : withResolvers<T>();
  return { opened: promise, open: resolve, fail: reject };
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve = (_: T): void => undefined;
  let reject = (_: unknown): void => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** Lets everything that can go on without a timer go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

interface ToolParts {
  readonly owner?: ToolOwnerRef;
  readonly schema?: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly description?: string;
  readonly annotations?: ToolAnnotations;
  readonly rest?: Partial<Omit<AgentTool, "descriptor" | "execute">>;
  readonly descriptor?: Partial<AgentTool["descriptor"]>;
}

/** A tool of any owner, as a source or a program would hold it. */
export function makeTool(
  name: string,
  execute: (input: JsonObject, context: ToolContext) => unknown = () => "done",
  {
    owner = { kind: "custom" },
    schema = ANYTHING,
    outputSchema,
    description = name,
    annotations,
    rest,
    descriptor,
  }: ToolParts = {},
): AgentTool {
  return {
    descriptor: {
      name,
      description,
      inputSchema: schema,
      owner,
      executor: executorOf(owner, name),
      ...(outputSchema ? { outputSchema } : {}),
      ...(annotations ? { annotations } : {}),
      ...descriptor,
    },
    execute,
    ...rest,
  };
}

const ANYTHING: JsonObject = { type: "object" };

function executorOf(owner: ToolOwnerRef, toolName: string): NonNullable<AgentTool["descriptor"]["executor"]> {
  switch (owner.kind) {
    case "core":
      return { kind: "core", executorId: toolName };
    case "custom":
      return { kind: "custom", toolName };
    case "plugin":
      return { kind: "plugin", pluginId: owner.pluginId, toolName };
    case "channel":
      return { kind: "channel", channelId: owner.channelId, actionId: toolName };
    case "mcp":
      return { kind: "mcp", serverId: owner.serverId, toolName };
  }
}

/** A source whose snapshot a test sets. */
export function fakeSource(
  id: string,
  kind: ToolSource["kind"],
  first: SourceSnapshot,
): ToolSource & { set(next: SourceSnapshot): void } {
  let snapshot = first;
  const listeners = new Set<() => void>();
  return {
    id,
    kind,
    list: () => snapshot,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    set: (next) => {
      snapshot = next;
      for (const changed of listeners) changed();
    },
  };
}

/** The text of a result. */
export function textOf(result: { readonly content: readonly { readonly type: string }[] }): string {
  return result.content.map((block) => ("text" in block ? String(block.text) : `<${block.type}>`)).join("\n");
}
