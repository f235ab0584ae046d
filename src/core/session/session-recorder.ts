import type { Clock } from "../clock.ts";
import type { JournalPort } from "../dispatch/ports.ts";
import { messageOf } from "../hooks/call-hook.ts";
import { waitBounded } from "../hooks/waited.ts";
import type { JsonObject } from "../json.ts";
import type { SessionHealth } from "./session-health.ts";

/** What an entry says beside its session. JSON: messages, results and states are frozen copies of our own. */
export type RecordEntry = Readonly<Record<string, unknown>> & { readonly type: string };

export interface RecorderParts {
  readonly sessionId: string;
  readonly journal: JournalPort | undefined;
  /** The first entry, written before whatever comes first: a session in which nothing happens leaves no record. */
  readonly opening: () => RecordEntry;
  readonly health: SessionHealth;
  readonly clock: Clock;
  /** How long an entry may take, in milliseconds. */
  readonly journalMs: number;
}

/** Writes what a session itself has to put on record; its calls write their own. Whatever fails degrades the session. */
export class SessionRecorder {
  /** Where calls write. */
  readonly journal: JournalPort | undefined;
  readonly #parts: RecorderParts;
  #isOpened = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
    const { journal } = parts;
    this.journal = journal && {
      append: (entry, options) =>
        this.#isOpened ? journal.append(entry, options) : this.#open(journal, () => journal.append(entry, options)),
      ...(journal.read ? { read: (sessionId) => journal.read?.(sessionId) ?? NOTHING } : {}),
    };
  }

  /** Hands an entry over. The order of entries is that of the calls; nobody waits for the disk. */
  write(entry: RecordEntry): void {
    this.#append(entry, false)?.catch((error: unknown) => this.#degrade(messageOf(error)));
  }

  /** Says that the session is closed, if anything was said of it, and waits until that is on the disk. */
  async close(): Promise<void> {
    const { clock, journalMs } = this.#parts;
    const written = this.#isOpened ? this.#append({ type: "session-closed" }, true) : undefined;
    if (!written) return;
    const waited = await waitBounded(clock, written, journalMs);
    if (waited.kind === "failed") this.#degrade(messageOf(waited.error));
    if (waited.kind === "timed-out") this.#degrade(`no answer within ${journalMs} ms`);
  }

  #append(entry: RecordEntry, sync: boolean): Promise<void> | undefined {
    const { sessionId, health } = this.#parts;
    if (!this.journal || health.degradation !== undefined) return undefined;
    try {
      // JSON, as its type says in words.
      return this.journal.append({ session: sessionId, ...entry }, { sync });
    } catch (error) {
      this.#degrade(messageOf(error));
      return undefined;
    }
  }

  /** Both at once, so that nothing gets in between; tried again with the next entry when it fails. */
  async #open(journal: JournalPort, append: () => Promise<void>): Promise<void> {
    this.#isOpened = true;
    const { sessionId, opening } = this.#parts;
    try {
      const opened = journal.append({ session: sessionId, ...opening() }, { sync: false });
      await Promise.all([opened, append()]);
    } catch (error) {
      this.#isOpened = false;
      throw error;
    }
  }

  #degrade(message: string): void {
    this.#parts.health.degrade(`the journal could not be written: ${message}`);
  }
}

const NOTHING: Promise<readonly JsonObject[]> = Promise.resolve([]);
