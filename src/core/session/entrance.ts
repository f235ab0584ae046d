import type { Caller, ToolCall } from "../tool/call.ts";
import type { ToolResult } from "../tool/result.ts";
import type { AgentSession } from "./agent-session.ts";

/** How an entrance of ours calls: its callers are not `program`. Not exported by any door. */
export interface Entrance {
  dispatch(
    call: ToolCall,
    options: { readonly caller: Caller; readonly signal?: AbortSignal; readonly timeoutMs?: number },
  ): Promise<ToolResult>;
}

/** Where a session of ours keeps its entrance. */
export const ENTRANCE: unique symbol = Symbol("toolmap.entrance");

/** The entrance of a session that createAgentSession made. */
export function entranceOf(session: AgentSession): Entrance {
  const entrance = (session as { readonly [ENTRANCE]?: Entrance })[ENTRANCE];
  if (!entrance) throw new Error("not a session of createAgentSession");
  return entrance;
}
