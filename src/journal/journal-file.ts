import path from "node:path";
import { ToolmapError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { BlobFolder } from "./blob-folder.ts";
import type { AppendFile, Disk } from "./disk.ts";
import { writeEntry, type BlobReference } from "./entry-text.ts";
import { GroupCommit } from "./group-commit.ts";
import { journalError } from "./journal-error.ts";
import { lineHash, lineText } from "./journal-line.ts";
import { lineBytes } from "./line-bytes.ts";
import { BLOB_FOLDER, type OpenedJournal } from "./open-journal.ts";

interface WriterParts {
  readonly disk: Disk;
  /** The time as ISO 8601. */
  readonly stamp: () => string;
  /** Throws once the session is another process's. */
  readonly assertOwned: () => void;
}

/** Characters that are held at the most. */
const MOST_HELD = 32 * 1024;

/**
 * A journal that is open for appending. A write that failed is cut off again. When that fails too, or the disk does not
 * keep what it was given, nobody knows what the file holds: it is sealed, and every later append fails as that one did.
 */
export class JournalFile {
  /** What every line of this writer carries. */
  readonly fence: number;
  readonly #path: string;
  readonly #file: AppendFile;
  readonly #disk: Disk;
  readonly #stamp: () => string;
  readonly #assertOwned: () => void;
  readonly #blobs: BlobFolder;
  readonly #commit = new GroupCommit(() => this.#flush());
  readonly #store = (text: string): BlobReference => this.#blobs.store(text);
  #number: number;
  #previous: string;
  #sealed: ToolmapError | undefined;
  /** Lines that nobody waits for: they go with the next line that somebody waits for, or when the event loop turns. */
  #held = "";
  #isScheduled = false;

  constructor(opened: OpenedJournal, { disk, stamp, assertOwned }: WriterParts) {
    this.fence = opened.fence;
    this.#path = opened.path;
    this.#file = opened.file;
    this.#number = opened.head.number;
    this.#previous = opened.head.hash;
    this.#disk = disk;
    this.#stamp = stamp;
    this.#assertOwned = assertOwned;
    this.#blobs = new BlobFolder(path.join(path.dirname(opened.path), BLOB_FOLDER), { disk });
  }

  /** Whether a long text was stored that nobody has waited for yet. */
  get hasUnsyncedBlobs(): boolean {
    return this.#blobs.isUnsynced;
  }

  /** Hands the entry to the system before it returns, and with it what is held. */
  append(entry: JsonObject): void {
    const { number, text } = this.#nextLine(entry);
    this.#write(lineBytes(this.#held + text));
    this.#held = "";
    this.#number = number;
    this.#previous = lineHash(text);
  }

  /** Keeps the entry until the event loop turns, at the latest: a write costs more than all the rest of a line. */
  hold(entry: JsonObject): void {
    if (this.#held.length > MOST_HELD) return this.append(entry);
    const { number, text } = this.#nextLine(entry);
    this.#held += `${text}\n`;
    this.#number = number;
    this.#previous = lineHash(text);
    if (this.#isScheduled) return undefined;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#tryWriteHeld();
    });
  }

  /** Hands what is held to the system. What cannot be written stays, and the next append fails as this did. */
  writeHeld(): void {
    if (this.#held === "") return;
    if (this.#sealed) throw this.#sealed;
    this.#write(lineBytes(this.#held.slice(0, -1)));
    this.#held = "";
  }

  /** Settles when all that was appended before is on the disk. */
  async sync(): Promise<void> {
    this.writeHeld();
    await this.#commit.request();
  }

  /** Waits for the disk, then closes. */
  async close(): Promise<void> {
    try {
      if (!this.#sealed) await this.sync();
      await this.#commit.idle();
    } finally {
      this.#file.close();
    }
  }

  /** What fails here is said by whatever is appended next, or by the close. */
  #tryWriteHeld(): void {
    try {
      this.#assertOwned();
    } catch (error) {
      this.#held = "";
      this.#sealed ??= journalError(this.#path, "written", error);
      return;
    }
    try {
      this.writeHeld();
    } catch {
      // It stays held.
    }
  }

  #nextLine(entry: JsonObject): { readonly number: number; readonly text: string } {
    if (this.#sealed) throw this.#sealed;
    const number = this.#number + 1;
    const place = { number, fence: this.fence, at: this.#stamp(), previous: this.#previous };
    return { number, text: lineText(place, this.#textOf(entry)) };
  }

  #textOf(entry: JsonObject): string {
    try {
      return writeEntry(entry, this.#store);
    } catch (error) {
      throw journalError(this.#path, "written", error);
    }
  }

  #write(bytes: Uint8Array): void {
    const before = this.#file.size;
    try {
      this.#file.append(bytes);
    } catch (error) {
      const failure = journalError(this.#path, "written", error);
      if (this.#file.size !== before) this.#cutBack(before, failure);
      throw failure;
    }
  }

  /** Where another process has written too, cutting would take its lines or ours. */
  #cutBack(size: number, failure: ToolmapError): void {
    try {
      if (this.#disk.stat(this.#path)?.size === this.#file.size) this.#file.truncate(size);
      else this.#sealed = failure;
    } catch {
      this.#sealed = failure;
    }
  }

  async #flush(): Promise<void> {
    if (this.#sealed) throw this.#sealed;
    const { size } = this.#file;
    try {
      await (this.#blobs.isUnsynced ? Promise.all([this.#blobs.sync(), this.#file.sync()]) : this.#file.sync());
      this.#assertThere(size);
    } catch (error) {
      this.#sealed ??= journalError(this.#path, "kept on the disk", error);
      throw this.#sealed;
    }
  }

  /** A file that was removed or replaced takes lines for ever, and nobody ever reads them. */
  #assertThere(size: number): void {
    const there = this.#disk.stat(this.#path);
    if (there !== undefined && there.size >= size) return;
    throw new ToolmapError(
      "journal-failed",
      `"${this.#path}" could not be kept on the disk: it was ${there ? "replaced" : "removed"} while the session was open.`,
      { fix: "Bring the file back if you have it, then open the session again." },
    );
  }
}
