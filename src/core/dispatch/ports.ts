import type { JsonObject } from "../json.ts";

/** Where output over the limit goes. Default: cut, no file. */
export interface SpillPort {
  write(text: string): Promise<{ readonly id: string }>;
  read(id: string, offset: number, length: number): Promise<string>;
}

/** The append-only record. `sync`: settle only once the entry is on disk. Default: none. */
export interface JournalPort {
  append(entry: JsonObject, options: { readonly sync: boolean }): Promise<void>;
}

/** A tool's only way to a secret. `undefined` and `""` count as missing. */
export interface SecretsPort {
  get(name: string): Promise<string | undefined>;
}
