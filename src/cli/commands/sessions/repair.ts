import type { Problem } from "../../../journal/problem.ts";
import type { Repair } from "../../../journal/repair-session.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import type { Output } from "../../output/output.ts";
import { visibleLine } from "../../output/visible-text.ts";
import { findReadable } from "./find-session.ts";
import { openSessions, type Sessions } from "./open-sessions.ts";
import { printProblems } from "./print-problems.ts";

/** `toolmap sessions repair ID`. A session that is open elsewhere is not touched: `session-open-elsewhere`. */
export async function repairSession(word: string, context: CommandContext): Promise<ExitCode> {
  const { out } = context;
  const sessions = openSessions(context);
  const { id } = findReadable(word, await sessions.store.list());
  const { repair, remaining } = await repairOwned(id, sessions);
  if (out.json) out.document({ id, ...repair, remaining });
  else printRepair(id, { repair, remaining }, out);
  return EXIT.ok;
}

interface Repaired {
  readonly repair: Repair;
  /** What a repair does not mend, such as long texts that are lost. */
  readonly remaining: readonly Problem[];
}

async function repairOwned(id: string, { store }: Sessions): Promise<Repaired> {
  const lease = await store.ports.lock.open(id);
  try {
    const repair = await store.repair(id);
    return { repair, remaining: (await store.verify(id)).problems };
  } finally {
    await lease.release();
  }
}

function printRepair(id: string, { repair, remaining }: Repaired, out: Output): void {
  const { isRepaired, kept, problems, original } = repair;
  if (isRepaired) {
    out.line(`${visibleLine(id)}  repaired, ${kept} of its lines are kept`);
    out.line(`The file as it was: ${visibleLine(original ?? "")}`);
    printProblems(problems, out);
  } else {
    out.line(`${visibleLine(id)}  has nothing that a repair mends, ${kept} lines`);
  }
  if (remaining.length === 0) return;
  out.line("What remains:");
  printProblems(remaining, out);
}
