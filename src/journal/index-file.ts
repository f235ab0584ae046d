import path from "node:path";
import { isRecord } from "../core/json.ts";
import type { Disk } from "./disk.ts";
import type { SessionState } from "./session-state.ts";
import type { SessionSummary } from "./session-summary.ts";

/** What the index knows of a session: good while its journal has this size and this time of change. */
export interface IndexRow {
  readonly folder: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly summary: SessionSummary;
}

/** In the folder of all sessions. No session's folder has this name. */
export const INDEX_NAME = "index.json";

const VERSION = 1;

/** The rows by folder. Whatever is no index, or of another version, reads as an empty one. */
export function readIndex(bytes: Uint8Array | undefined): ReadonlyMap<string, IndexRow> {
  const value = bytes && parseJson(bytes);
  if (!isRecord(value) || value["v"] !== VERSION || !Array.isArray(value["sessions"])) return new Map();
  return new Map(value["sessions"].filter(isRow).map((row) => [row.folder, row]));
}

/** Replaces the index as a whole. It is a cache: where it cannot be written the list is only slower. */
export function writeIndex(
  folder: string,
  { rows, disk }: { readonly rows: readonly IndexRow[]; readonly disk: Disk },
): void {
  try {
    const text = JSON.stringify({ v: VERSION, sessions: rows });
    disk.replace(path.join(folder, INDEX_NAME), Buffer.from(text));
  } catch {
    // The rows are at hand all the same.
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is IndexRow {
  if (!isRecord(value) || !isRecord(value["summary"])) return false;
  const { id, openedAt, changedAt, lines, bytes, title, state, problems } = value["summary"];
  return (
    [value["folder"], id, openedAt, changedAt, title].every((each) => typeof each === "string") &&
    [value["size"], value["time"], lines, bytes, problems].every((each) => typeof each === "number") &&
    STATES.some((each) => each === state)
  );
}

const STATES: readonly SessionState[] = ["ready", "calling", "asking", "closed", "damaged"];
