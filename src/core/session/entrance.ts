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

const entrances = new WeakMap<AgentSession, Entrance>();

export function registerEntrance(session: AgentSession, entrance: Entrance): void {
  entrances.set(session, entrance);
}

/** The entrance of a session of ours. */
export function entranceOf(session: AgentSession): Entrance {
  const entrance = entrances.get(session);
  if (!entrance) throw new Error("not a session of createAgentSession");
  return entrance;
}
