import { clipText, isRecord, type JsonObject } from "../core/json.ts";
import type { BlobFolder } from "./blob-folder.ts";
import type { JournalLine } from "./journal-line.ts";
import { readJournal } from "./read-journal.ts";
import { entryOf } from "./read-session.ts";
import { sessionState, type SessionState } from "./session-state.ts";

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  /** ISO 8601: of the first line and of the last. */
  readonly openedAt: string;
  readonly changedAt: string;
  readonly lines: number;
  /** Of the journal, without its long texts. */
  readonly bytes: number;
  /** The first user message's text, at most 80 characters; empty when there is none. */
  readonly title: string;
  readonly state: SessionState;
  /** How many problems a reader finds. */
  readonly problems: number;
}

const TITLE_LENGTH = 80;

/** What a list says about a journal. `fallback` is what to call it, and when it was changed, where no line can be read. */
export function summariseSession(
  bytes: Uint8Array,
  { blobs, fallback }: { readonly blobs: BlobFolder; readonly fallback: { readonly id: string; readonly at: string } },
): SessionSummary {
  const { lines, problems } = readJournal(bytes);
  const first = lines[0];
  return {
    id: first ? textOf(first.value["session"]) : fallback.id,
    openedAt: first?.at ?? fallback.at,
    changedAt: lines.at(-1)?.at ?? fallback.at,
    lines: lines.length,
    bytes: bytes.length,
    title: titleOf(lines, blobs),
    state: sessionState(lines.map(({ value }) => value)),
    problems: problems.length,
  };
}

function titleOf(lines: readonly JournalLine[], blobs: BlobFolder): string {
  for (const line of lines) {
    if (line.value["type"] !== "message" || messageOf(line.value)["role"] !== "user") continue;
    const { content } = messageOf(entryOf(line, blobs, []));
    const text = Array.isArray(content) ? content.map(textOf).find((each) => each !== "") : textOf(content);
    if (text !== undefined && text !== "") return clipText(text.trim(), TITLE_LENGTH);
  }
  return "";
}

/** A message entry holds it as `message`, or is it. */
function messageOf(entry: JsonObject): Readonly<Record<string, unknown>> {
  return isRecord(entry["message"]) ? entry["message"] : entry;
}

function textOf(part: unknown): string {
  if (typeof part === "string") return part;
  return isRecord(part) && typeof part["text"] === "string" ? part["text"] : "";
}
