import { hash } from "node:crypto";
import path from "node:path";
import type { AppendFile, Disk } from "./disk.ts";
import type { BlobReference } from "./entry-text.ts";

/**
 * Texts by the SHA-256 of their UTF-8 bytes, each in a file of its own; the name is as many hex digits of it as `digits`
 * says. The same text is stored once.
 */
export class BlobFolder {
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #digits: number;
  readonly #stored = new Set<string>();
  #unsynced: AppendFile[] = [];

  constructor(folder: string, { disk, digits = 64 }: { readonly disk: Disk; readonly digits?: number }) {
    this.#folder = folder;
    this.#disk = disk;
    this.#digits = digits;
  }

  /** Hands the text to the system. It is on the disk once `sync` has settled. */
  store(text: string): BlobReference {
    const bytes = Buffer.from(text);
    const name = this.#nameOf(bytes);
    if (!this.#stored.has(name)) {
      this.#unsynced.push(this.#write(path.join(this.#folder, name), bytes));
      this.#stored.add(name);
    }
    return { $blob: name, bytes: bytes.length };
  }

  /** Whether something was stored and is not known to be on the disk. */
  get isUnsynced(): boolean {
    return this.#unsynced.length > 0;
  }

  async sync(): Promise<void> {
    const files = this.#unsynced;
    this.#unsynced = [];
    try {
      await Promise.all(files.map((file) => file.sync()));
    } catch (error) {
      this.#stored.clear();
      throw error;
    } finally {
      for (const file of files) file.close();
    }
  }

  /** The text that a reference names. Undefined when it is not there or is not what was stored. */
  load(name: unknown): string | undefined {
    if (typeof name !== "string" || !NAME.test(name) || name.length !== this.#digits) return undefined;
    const bytes = this.#disk.read(path.join(this.#folder, name));
    return bytes && this.#nameOf(bytes) === name ? Buffer.from(bytes).toString("utf8") : undefined;
  }

  #nameOf(bytes: Uint8Array): string {
    return hash("sha256", bytes, "hex").slice(0, this.#digits);
  }

  /** What a crash or a disk left under this name is replaced unless it is the whole text. */
  #write(file: string, bytes: Buffer): AppendFile {
    this.#disk.makeFolder(this.#folder);
    const opened = this.#disk.openForAppend(file);
    try {
      if (opened.size > 0 && !isSame(this.#disk.read(file), bytes)) opened.truncate(0);
      if (opened.size === 0) opened.append(bytes);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }
}

/** A name and nothing else: no path comes through. */
const NAME = /^[0-9a-f]+$/;

function isSame(there: Uint8Array | undefined, bytes: Buffer): boolean {
  return there !== undefined && bytes.equals(there);
}
