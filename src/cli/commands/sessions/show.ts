import { Writable } from "node:stream";
import { ToolmapError } from "../../../core/errors.ts";
import type { ReadSession } from "../../../journal/read-session.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { formatBytes, formatCount } from "../../output/format-amount.ts";
import type { OutStream, Output } from "../../output/output.ts";
import { visibleLine } from "../../output/visible-text.ts";
import { describeSession, type SessionDocument } from "./describe-session.ts";
import { EntryLines } from "./entry-lines.ts";
import { findReadable } from "./find-session.ts";
import { followSession, type HowItEnded } from "./follow-session.ts";
import { openSessions, type Sessions } from "./open-sessions.ts";
import { printProblems } from "./print-problems.ts";

export interface ShowOptions {
  readonly id: string;
  readonly follow?: boolean;
}

/** `toolmap sessions show ID [--follow]`. Takes no lock and changes nothing. */
export async function showSession({ id, follow = false }: ShowOptions, context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  if (follow && out.json) {
    throw new ToolmapError("usage", "--follow prints as long as it goes on, --json one document at the end.", {
      fix: "Give one of them.",
    });
  }
  const sessions = openSessions(context);
  const summary = findReadable(id, await sessions.store.list());
  const document = describeSession(summary, sessions.holderOf(summary.id));
  if (follow) return await watch(document, { sessions, context });
  const read = await sessions.store.readSession(summary.id);
  const { recorded: entries, problems, head } = read;
  if (out.json) out.document({ ...document, head, entries, problems });
  else printSession(document, read, out);
  return EXIT.ok;
}

function printSession(document: SessionDocument, { recorded, problems }: ReadSession, out: Output): void {
  const lines = new EntryLines(out.paint);
  printHead(document, out);
  for (const entry of recorded) for (const line of lines.of(entry)) out.line(line);
  printUnfinished(lines, document.state === "open" ? "is running" : "was interrupted", out);
  if (problems.length === 0) return;
  out.line();
  out.line(out.paint("yellow", formatCount(problems.length, "problem")));
  printProblems(problems, out);
}

function printHead({ id, state, holder, lines, bytes }: SessionDocument, out: Output): void {
  const shown = holder ? `open in process ${holder.pid}` : state;
  out.line(`${out.paint("bold", visibleLine(id))}  ${shown}, ${formatCount(lines, "line")}, ${formatBytes(bytes)}`);
}

function printUnfinished(lines: EntryLines, what: string, out: Output): void {
  for (const name of lines.unfinished()) out.line(`  ${out.paint("yellow", visibleLine(name))} ${what}`);
}

async function watch(
  document: SessionDocument,
  { sessions, context }: { readonly sessions: Sessions; readonly context: CommandContext },
): Promise<ExitCode> {
  const { out, signal } = context;
  const lines = new EntryLines(out.paint);
  const reader = watchReader(context.host.stdout);
  printHead(document, out);
  const { ended, problems } = await followSession(document.id, {
    sessions,
    signal,
    isRead: () => !reader.hasLeft,
    show: (entry) => {
      for (const line of lines.of(entry)) out.line(line);
    },
  });
  if (ended !== "stopped") printUnfinished(lines, "was interrupted", out);
  printProblems(problems, out);
  out.words(out.paintWords("dim", ENDS[ended]));
  return ended === "stopped" && signal.aborted ? EXIT.cancelled : EXIT.ok;
}

/** Whoever reads may stop reading (`| head`). That is an error of the stream, and nothing else tells. */
function watchReader(stdout: OutStream): { readonly hasLeft: boolean } {
  const reader = { hasLeft: false };
  if (stdout instanceof Writable) stdout.once("error", () => (reader.hasLeft = true));
  return reader;
}

const ENDS: Readonly<Record<HowItEnded, string>> = {
  closed: "The session is closed.",
  left: "No process has the session open.",
  gone: "The session was removed.",
  rewritten: "The record was written anew meanwhile: show it again.",
  stopped: "Stopped watching; the session goes on.",
};
