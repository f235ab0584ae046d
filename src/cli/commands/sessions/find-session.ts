import { ToolmapError } from "../../../core/errors.ts";
import { clipText } from "../../../core/json.ts";
import { nearestKeys } from "../../../core/schema/nearest-keys.ts";
import { sessionFolderName } from "../../../journal/session-folder.ts";
import type { SessionSummary } from "../../../journal/session-summary.ts";

/** The session that a word names: its id, or a beginning of it that no other has. Throws `unknown-session`. */
export function findSession(word: string, sessions: readonly SessionSummary[]): SessionSummary {
  const exact = sessions.find(({ id }) => id === word);
  if (exact) return exact;
  const begun = word === "" ? [] : sessions.filter(({ id }) => id.startsWith(word));
  const [only, another] = begun;
  if (only && !another) return only;
  throw only ? ambiguous(word, begun) : unknown(word, sessions);
}

/** The same, for those who read it. Of a record without a readable line only its folder is known. */
export function findReadable(word: string, sessions: readonly SessionSummary[]): SessionSummary {
  const found = findSession(word, sessions);
  if (found.state !== "damaged" || sessionFolderName(found.id) === found.id) return found;
  throw new ToolmapError(
    "journal-failed",
    `No line of the record in the folder "${found.id}" can be read, and the folder's name does not tell whose it is.`,
    { fix: `Remove it with toolmap sessions purge ${found.id}, or bring back a copy of it.` },
  );
}

const MOST_SHOWN = 5;

function ambiguous(word: string, begun: readonly SessionSummary[]): ToolmapError {
  const shown = begun.slice(0, MOST_SHOWN).map(quoted).join(", ");
  const more = begun.length > MOST_SHOWN ? ` and ${begun.length - MOST_SHOWN} more` : "";
  return new ToolmapError(
    "unknown-session",
    `${begun.length} sessions begin with "${clipText(word, 100)}": ${shown}${more}.`,
    {
      fix: "Give more of the id.",
    },
  );
}

function unknown(word: string, sessions: readonly SessionSummary[]): ToolmapError {
  const near = nearest(word, sessions).map(quoted).join(", ");
  const hint = near === "" ? "" : ` The nearest: ${near}.`;
  const fix =
    sessions.length === 0
      ? "Nothing is on record yet: toolmap run --script FILE makes a session."
      : "toolmap sessions list shows the ids.";
  return new ToolmapError("unknown-session", `There is no session "${clipText(word, 100)}".${hint}`, { fix });
}

/** By as much of the ids as was typed. */
function nearest(word: string, sessions: readonly SessionSummary[]): readonly SessionSummary[] {
  const beginnings = sessions.map(({ id }) => id.slice(0, word.length));
  const near = new Set(nearestKeys(word, [...new Set(beginnings)]));
  return sessions.filter((_, at) => near.has(beginnings[at] ?? "")).slice(0, 3);
}

function quoted({ id }: SessionSummary): string {
  return `"${clipText(id, 100)}"`;
}
