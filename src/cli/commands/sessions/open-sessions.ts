import path from "node:path";
import { systemClock } from "../../../core/clock.ts";
import type { Holder } from "../../../journal/lease-name.ts";
import { sessionFolderName } from "../../../journal/session-folder.ts";
import type { SessionStore } from "../../../journal/session-store.ts";
import type { CommandContext } from "../../command-context.ts";
import { openStore } from "../../open-store.ts";
import { stateFolder } from "../../state-folder.ts";

/** The sessions of this user, and who has them. */
export interface Sessions {
  readonly store: SessionStore;
  /** The process that has a session open, this one or another. */
  holderOf(sessionId: string): Holder | undefined;
  folderOf(sessionId: string): string;
  /** Milliseconds since the epoch. */
  now(): number;
}

export function openSessions(context: CommandContext): Sessions {
  const folder = path.join(stateFolder(context.host.env), "sessions");
  const folderOf = (sessionId: string): string => path.join(folder, sessionFolderName(sessionId));
  const store = openStore(context);
  return {
    store,
    holderOf: (sessionId) => store.holderOf(sessionId),
    folderOf,
    now: () => systemClock.now(),
  };
}
