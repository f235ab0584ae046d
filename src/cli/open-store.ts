import path from "node:path";
import type { SessionStore } from "../journal/session-store.ts";
import { createSessionStore } from "../journal/session-store.ts";
import type { CommandContext } from "./command-context.ts";
import { stateFolder } from "./state-folder.ts";

/** The sessions of this user. */
export function openStore({ host }: CommandContext): SessionStore {
  return createSessionStore({ folder: path.join(stateFolder(host.env), "sessions") });
}
