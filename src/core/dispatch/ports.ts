import type { JsonObject } from "../json.ts";

/** Where output over the limit goes. Default: cut, no file. */
export interface SpillPort {
  write(text: string): Promise<{ readonly id: string }>;
  read(id: string, offset: number, length: number): Promise<string>;
}

/** The append-only record of sessions. Default: none. */
export interface JournalPort {
  /** Entries stand in the order of the calls. `sync`: settles only once the entry is on disk. */
  append(entry: JsonObject, options: { readonly sync: boolean }): Promise<void>;
  /** Every entry of a session, oldest first; none for one that is unknown. Without it nothing can be resumed. */
  read?(sessionId: string): Promise<readonly JsonObject[]>;
}

/** A tool's only way to a secret. `undefined` and `""` count as missing. */
export interface SecretsPort {
  get(name: string): Promise<string | undefined>;
}
