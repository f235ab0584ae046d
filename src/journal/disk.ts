/**
 * What the journal and the lease need of a file system. Everything but `sync` is synchronous: small files, short calls,
 * and an order that nothing can get between. Whatever the system refuses is thrown as the system says it, with its `code`.
 *
 * A crash keeps what was synced. Of what was appended and not synced any beginning may be left; a file that was created,
 * replaced, renamed or removed is as before or as after, never in between.
 */
export interface Disk {
  /** The whole file. Undefined when there is none. */
  read(path: string): Uint8Array | undefined;
  /** Size in bytes and time of the last change, in milliseconds since the epoch. Undefined when there is no such file. */
  stat(path: string): { readonly size: number; readonly changedAt: number } | undefined;
  /** Names in a folder, sorted; none when there is no such folder. */
  list(folder: string): readonly string[];
  /** Makes a folder and those above it, for its owner alone. */
  makeFolder(folder: string): void;
  /** Opens a file for appending; makes it, for its owner alone, where there is none. */
  openForAppend(path: string): AppendFile;
  /** Makes a file with this text. False, and nothing done, when there is one already: of two that try at once one wins. */
  create(path: string, text: string): boolean;
  /** Replaces a file as a whole and durably: readers see the old or the new. A file that is there keeps its mode. */
  replace(path: string, bytes: Uint8Array): void;
  /** Moves a file over whatever is there. */
  rename(from: string, to: string): void;
  /** Removes a file, or a folder with all that is in it. Nothing there is no error. */
  remove(path: string): void;
}

/** A file that only grows. */
export interface AppendFile {
  readonly size: number;
  /** Hands all the bytes to the system, or throws and may have written a beginning of them. */
  append(bytes: Uint8Array): void;
  /** Settles when all that was appended before the call is on the disk. */
  sync(): Promise<void>;
  /** Cuts the file to this size. */
  truncate(size: number): void;
  close(): void;
}
