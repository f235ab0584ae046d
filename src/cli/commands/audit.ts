import { ToolmapError } from "../../core/errors.ts";
import { clipText } from "../../core/json.ts";
import type { Head } from "../../journal/read-journal.ts";
import type { SessionSummary } from "../../journal/session-summary.ts";
import type { Verification } from "../../journal/verify-session.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { formatCount } from "../output/format-amount.ts";
import type { Output } from "../output/output.ts";
import { visibleLine } from "../output/visible-text.ts";
import { findReadable } from "./sessions/find-session.ts";
import { openSessions, type Sessions } from "./sessions/open-sessions.ts";
import { printProblems } from "./sessions/print-problems.ts";

export interface VerifyOptions {
  readonly id: string | undefined;
  /** What was noted earlier, as `NUMBER:HASH`. */
  readonly head?: string;
}

/** `toolmap audit verify [ID] [--head NUMBER:HASH]`. Fails when a record is not as it was written. */
export async function verifyAudit({ id, head }: VerifyOptions, context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  const expected = readHead(head, id);
  const sessions = openSessions(context);
  const all = await sessions.store.list();
  const chosen = id === undefined ? all : [findReadable(id, all)];
  const verdicts: Verdict[] = [];
  for (const summary of chosen) verdicts.push(await verifyOne(summary, { sessions, all, expected }));
  const isIntact = verdicts.every((each) => each.isIntact);
  if (out.json) out.document({ isIntact, sessions: verdicts });
  else printVerdicts(verdicts, out);
  return isIntact ? EXIT.ok : EXIT.failed;
}

function readHead(text: string | undefined, id: string | undefined): Head | undefined {
  if (text === undefined) return undefined;
  const [, number = "", hash = ""] = /^(\d{1,15}):([0-9a-f]{32})$/.exec(text.trim().toLowerCase()) ?? [];
  if (hash !== "" && id !== undefined) return { number: Number(number), hash };
  const problem = hash === "" ? `--head "${clipText(text, 80)}" is no NUMBER:HASH.` : "--head is of one session.";
  throw new ToolmapError("usage", problem, {
    fix: "Give the session's id, and the head as toolmap audit verify printed it for this session.",
  });
}

type Verdict = { readonly id: string } & (
  | Verification
  | { readonly isIntact: false; readonly error: { readonly code: string; readonly message: string } }
);

interface Verifying {
  readonly sessions: Sessions;
  readonly all: readonly SessionSummary[];
  readonly expected: Head | undefined;
}

/** A record that cannot be read hides no other one. */
async function verifyOne({ id }: SessionSummary, { sessions, all, expected }: Verifying): Promise<Verdict> {
  try {
    findReadable(id, all);
    return { id, ...(await verifySettled(id, { sessions, expected })) };
  } catch (error) {
    if (!(error instanceof ToolmapError)) throw error;
    return { id, isIntact: false, error: { code: error.code, message: error.message } };
  }
}

/** While a process has a session, its last line may be on its way to the disk. That is looked at again. */
async function verifySettled(
  id: string,
  { sessions, expected }: Pick<Verifying, "sessions" | "expected">,
): Promise<Verification> {
  for (let looks = 1; ; looks += 1) {
    const found = await sessions.store.verify(id, expected ? { expected } : {});
    const isTorn = !found.isIntact && found.problems.every(({ kind }) => kind === "torn-tail");
    if (!isTorn || looks === MOST_LOOKS || !sessions.holderOf(id)) return found;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  }
}

const MOST_LOOKS = 5;
const BETWEEN_LOOKS_MS = 50;

function printVerdicts(verdicts: readonly Verdict[], out: Output): void {
  for (const verdict of verdicts) printVerdict(verdict, out);
  const broken = verdicts.filter(({ isIntact }) => !isIntact).length;
  if (verdicts.length === 0) out.words("Nothing is on record.");
  else if (broken === 0) out.words(`${formatCount(verdicts.length, "record")}, intact.`);
  else
    out.failure(
      `${broken} of ${formatCount(verdicts.length, "record")} broken; toolmap sessions repair ID leaves out what is damaged.`,
    );
}

function printVerdict(verdict: Verdict, out: Output): void {
  const said = out.paint(verdict.isIntact ? "green" : "red", verdict.isIntact ? "intact" : "broken");
  if ("error" in verdict) {
    out.line(`${said}  ${visibleLine(verdict.id)}  ${visibleLine(verdict.error.message)}`);
    return;
  }
  const { id, lines, head, problems } = verdict;
  out.line(`${said}  ${visibleLine(id)}  ${formatCount(lines, "line")}  head ${head.number}:${head.hash}`);
  printProblems(problems, out);
}
