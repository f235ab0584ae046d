import type { SessionSummary } from "../../../journal/session-summary.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { formatCount } from "../../output/format-amount.ts";
import type { Output } from "../../output/output.ts";
import { describeSession, type SessionDocument } from "./describe-session.ts";
import { openSessions, type Sessions } from "./open-sessions.ts";
import { sessionTable } from "./session-table.ts";

export interface ListOptions {
  /** Only those of the folder. */
  readonly here?: boolean;
  readonly limit?: number;
}

/** `toolmap sessions list`. */
export async function listSessions({ here = false, limit }: ListOptions, context: CommandContext): Promise<ExitCode> {
  const { out, cwd } = context;
  const sessions = openSessions(context);
  const found: SessionDocument[] = [];
  let isCut = false;
  for (const summary of await sessions.store.list()) {
    if (here && !(await isOf(cwd, summary, sessions))) continue;
    isCut = found.length === limit;
    if (isCut) break;
    found.push(describeSession(summary, sessions.holderOf(summary.id)));
  }
  if (out.json) out.document({ sessions: found, isCut });
  else printList(found, { now: sessions.now(), here, isCut }, out);
  return EXIT.ok;
}

/** Whether `toolmap run` opened it in this folder. */
async function isOf(folder: string, { id }: SessionSummary, { store }: Sessions): Promise<boolean> {
  const { entries } = await store.readSession(id);
  return entries.some((entry) => entry["type"] === "opened-in" && entry["folder"] === folder);
}

function printList(
  found: readonly SessionDocument[],
  { now, here, isCut }: { readonly now: number; readonly here: boolean; readonly isCut: boolean },
  out: Output,
): void {
  if (found.length === 0) {
    out.words(`There are no sessions ${here ? "of this folder " : ""}yet. toolmap run --script FILE makes one.`);
    return;
  }
  const [head = "", ...lines] = sessionTable(found, { now, width: out.width });
  out.line(out.paint("dim", head));
  for (const line of lines) out.line(line);
  out.words(out.paintWords("dim", `${formatCount(found.length, "session")}${isCut ? ", and older ones" : ""}`));
  if (found.some(({ problems }) => problems > 0)) {
    out.words(
      out.paintWords(
        "yellow",
        "toolmap audit verify tells the problems, toolmap sessions repair leaves out what is damaged.",
      ),
    );
  }
}
