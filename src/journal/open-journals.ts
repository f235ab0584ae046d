import path from "node:path";
import type { JournalPort } from "../core/dispatch/ports.ts";
import { ToolmapError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Disk } from "./disk.ts";
import { journalError } from "./journal-error.ts";
import { JournalFile } from "./journal-file.ts";
import { JOURNAL_NAME, openJournal } from "./open-journal.ts";
import { sessionFolderName } from "./session-folder.ts";

export interface OpenJournalsOptions {
  readonly folder: string;
  readonly disk: Disk;
  readonly stamp: () => string;
  readonly owns: (sessionId: string) => boolean;
  readonly fenceOf: (sessionId: string) => number;
}

/** The journals that this process writes. Each is opened at its first entry. */
export class OpenJournals implements JournalPort {
  readonly #options: OpenJournalsOptions;
  readonly #files = new Map<string, JournalFile>();

  constructor(options: OpenJournalsOptions) {
    this.#options = options;
  }

  has(sessionId: string): boolean {
    return this.#files.has(sessionId);
  }

  /** Throws `journal-fenced` when this process has lost the session, or never had it. */
  assertOwned(sessionId: string): void {
    if (!this.#options.owns(sessionId)) throw notOwned(sessionId);
  }

  /** Entries stand in the order of the calls. One that nobody waits for is with the system when the event loop turns. */
  append(entry: JsonObject, { sync }: { readonly sync: boolean }): Promise<void> {
    try {
      const file = this.#fileOf(sessionOf(entry));
      if (sync) {
        file.append(entry);
        return file.sync();
      }
      file.hold(entry);
      if (file.hasUnsyncedBlobs) file.sync().catch(() => undefined); // what failed seals the file, and the next append says it
      return DONE;
    } catch (error) {
      return Promise.reject(journalError(this.#options.folder, "written", error));
    }
  }

  /** What is held of a session is with the system after this. */
  writeHeld(sessionId: string): void {
    this.#files.get(sessionId)?.writeHeld();
  }

  /** Waits for the disk and closes. A session that is not open is no error. */
  async close(sessionId: string): Promise<void> {
    const file = this.#files.get(sessionId);
    this.#files.delete(sessionId);
    await file?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#files.keys()].map((sessionId) => this.close(sessionId)));
  }

  #fileOf(sessionId: string): JournalFile {
    this.assertOwned(sessionId);
    const fence = this.#options.fenceOf(sessionId);
    const file = this.#files.get(sessionId);
    if (file?.fence === fence) return file;
    // Under another fence somebody else may have written in between: what stands is read anew.
    if (file) this.close(sessionId).catch(() => undefined);
    return this.#open(sessionId, fence);
  }

  #open(sessionId: string, fence: number): JournalFile {
    const { disk, stamp } = this.#options;
    const folder = path.join(this.#options.folder, sessionFolderName(sessionId));
    try {
      const file = new JournalFile(openJournal(folder, { disk, sessionId, fence }), {
        disk,
        stamp,
        assertOwned: () => this.assertOwned(sessionId),
      });
      this.#files.set(sessionId, file);
      return file;
    } catch (error) {
      throw journalError(path.join(folder, JOURNAL_NAME), "opened", error);
    }
  }
}

const DONE = Promise.resolve();

function sessionOf({ type, session }: JsonObject): string {
  if (typeof type === "string" && typeof session === "string") return session;
  throw new ToolmapError("bad-option", "A journal entry cannot be appended: its type and its session must be texts.");
}

function notOwned(sessionId: string): ToolmapError {
  return new ToolmapError(
    "journal-fenced",
    `Nothing can be appended to the record of the session "${sessionId}": this process does not own it any more.`,
    { fix: "Open the session again." },
  );
}
