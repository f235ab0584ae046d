import type { JournalPort, SecretsPort, SpillPort } from "../core/dispatch/ports.ts";
import { ToolmapError } from "../core/errors.ts";
import { freezeJson, type JsonObject } from "../core/json.ts";
import type { SessionLockPort } from "../core/session/agent-session.ts";

export interface MemoryPorts {
  readonly spill: SpillPort;
  readonly journal: MemoryJournal;
  readonly secrets: SecretsPort;
  readonly lock: MemoryLock;
}

export interface MemoryJournal extends JournalPort {
  /** What was appended, oldest first: frozen copies, as JSON carries them. */
  readonly entries: readonly JsonObject[];
}

export interface MemoryLock extends SessionLockPort {
  /** Takes the session away from its owner, as an expired lease does. */
  lose(sessionId: string): void;
}

/** The ports of a session, in memory. `secrets` are the values by name. */
export function memoryPorts({
  secrets = {},
}: { readonly secrets?: Readonly<Record<string, string>> } = {}): MemoryPorts {
  const values = new Map(Object.entries(secrets));
  return {
    spill: memorySpill(),
    journal: memoryJournal(),
    secrets: { get: async (name) => values.get(name) },
    lock: memoryLock(),
  };
}

/** Offsets and lengths are in characters. */
function memorySpill(): SpillPort {
  const texts = new Map<string, string>();
  return {
    async write(text) {
      const id = `spill-${texts.size + 1}`;
      texts.set(id, text);
      return { id };
    },
    async read(id, offset, length) {
      const text = texts.get(id);
      if (text === undefined) throw new ToolmapError("bad-option", `No output was spilled under the id "${id}".`);
      return text.slice(offset, offset + length);
    },
  };
}

function memoryJournal(): MemoryJournal {
  const entries: JsonObject[] = [];
  return {
    entries,
    read: async (sessionId) => entries.filter(({ session }) => session === sessionId),
    async append(entry) {
      entries.push(freezeJson(JSON.parse(JSON.stringify(entry)) as JsonObject)); // JSON text of an object is one
    },
  };
}

function memoryLock(): MemoryLock {
  const owners = new Map<string, AbortController>();
  let fence = 0;
  return {
    async open(sessionId) {
      if (owners.has(sessionId)) {
        throw new ToolmapError("bad-option", `The session "${sessionId}" cannot be opened: it is open already.`, {
          fix: "Close the other one first, or give this one another id.",
        });
      }
      const owner = new AbortController();
      owners.set(sessionId, owner);
      fence += 1;
      return {
        fence,
        lost: owner.signal,
        async release() {
          if (owners.get(sessionId) === owner) owners.delete(sessionId);
        },
      };
    },
    lose(sessionId) {
      owners.get(sessionId)?.abort();
      owners.delete(sessionId);
    },
  };
}
