import { randomUUID } from "node:crypto";
import { builtinTools } from "../builtin/builtin-tools.ts";
import type { Approver } from "../core/dispatch/approval.ts";
import type { AgentSession } from "../core/session/agent-session.ts";
import { createAgentSession } from "../core/session/create-agent-session.ts";
import type { Model } from "../core/session/model.ts";
import type { SessionStore } from "../journal/session-store.ts";
import type { CommandContext } from "./command-context.ts";
import { warn } from "./warn.ts";

export interface OpenOptions {
  /** Whether calls of a model will come. @default false */
  readonly isForModel?: boolean;
  readonly model?: Model;
  readonly approver?: Approver | undefined;
  /** Where the session is put on record. Without it nothing is kept. */
  readonly store?: SessionStore;
  /** The session on record to go on with. */
  readonly resumes?: string | undefined;
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

async function openSession(
  { cwd, host }: CommandContext,
  { model, approver, store, resumes }: OpenOptions,
): Promise<AgentSession> {
  // Node's own, which is loaded anyway: the global one takes longer to load than the session to open.
  const id = resumes ?? randomUUID();
  // What was too long to show goes when the session goes, and `read` finds it until then.
  const spill = store?.spillOf(id);
  return await createAgentSession({
    id,
    resume: resumes !== undefined,
    ...(store && spill ? { ports: { ...store.ports, spill } } : {}),
    sources: [builtinTools({ root: cwd, env: host.env, spill })],
    availability: { env: host.env },
    ...(model ? { model } : {}),
    ...(approver ? { approver } : {}),
  });
}
