import { randomUUID } from "node:crypto";
import { builtinTools } from "../builtin/builtin-tools.ts";
import type { Approver } from "../core/dispatch/approval.ts";
import type { AgentSession } from "../core/session/agent-session.ts";
import { createAgentSession } from "../core/session/create-agent-session.ts";
import type { Model } from "../core/session/model.ts";
import type { CommandContext } from "./command-context.ts";
import { warn } from "./warn.ts";

export interface OpenOptions {
  /** Whether calls of a model will come. @default false */
  readonly isForModel?: boolean;
  readonly model?: Model;
  readonly approver?: Approver | undefined;
}

/** Does some work with the session of a command without configuration: the built-in tools in its folder. Closes it afterwards. */
export async function withSession<T>(
  context: CommandContext,
  options: OpenOptions,
  work: (session: AgentSession) => Promise<T>,
): Promise<T> {
  const session = await openSession(context, options);
  try {
    await session.ready();
    warn(session.plan().warnings, { out: context.out, isForModel: options.isForModel === true });
    return await work(session);
  } finally {
    await session.close();
  }
}

async function openSession({ cwd, host }: CommandContext, { model, approver }: OpenOptions): Promise<AgentSession> {
  return await createAgentSession({
    // Node's own, which is loaded anyway: the global one takes longer to load than the session to open.
    id: randomUUID(),
    sources: [builtinTools({ root: cwd, env: host.env })],
    availability: { env: host.env },
    ...(model ? { model } : {}),
    ...(approver ? { approver } : {}),
  });
}
