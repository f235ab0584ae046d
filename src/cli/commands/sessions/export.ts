import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ToolmapError } from "../../../core/errors.ts";
import { clipText } from "../../../core/json.ts";
import type { CommandContext } from "../../command-context.ts";
import { EXIT, type ExitCode } from "../../exit-code.ts";
import { formatCount } from "../../output/format-amount.ts";
import { encodeDocument } from "../../output/output.ts";
import { visibleLine } from "../../output/visible-text.ts";
import { findReadable } from "./find-session.ts";
import { openSessions } from "./open-sessions.ts";

export interface ExportOptions {
  readonly id: string;
  /** A file that is not there yet. */
  readonly output?: string;
}

/** `toolmap sessions export ID [--output FILE]`: on stdout the document itself, with or without `--json`. */
export async function exportSession({ id, output }: ExportOptions, context: CommandContext): Promise<ExitCode> {
  const { out, cwd } = context;
  const { store } = openSessions(context);
  const summary = findReadable(id, await store.list());
  const document = await store.exportSession(summary.id);
  const { entries, problems } = document;
  const said = `${formatCount(entries.length, "entry", "entries")}, ${formatCount(problems.length, "problem")}`;
  if (output === undefined) {
    out.document(document);
    if (problems.length > 0) out.words(out.paintWords("yellow", said));
    return EXIT.ok;
  }
  const file = path.resolve(cwd, output);
  writeNew(file, { text: `${encodeDocument(document, 2)}\n`, shown: output });
  if (out.json) out.document({ session: summary.id, file, entries: entries.length, problems });
  else out.words(`${visibleLine(file)}: ${said}`);
  return EXIT.ok;
}

/** For its owner alone. What cannot be written whole is not there. */
function writeNew(file: string, { text, shown }: { readonly text: string; readonly shown: string }): void {
  let isOurs = false;
  try {
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
    isOurs = true;
    writeFileSync(file, text);
  } catch (cause) {
    if (isOurs) rmSync(file, { force: true });
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "it cannot be made";
    const why = code === "EEXIST" ? "it is there already" : code;
    throw new ToolmapError("usage", `Cannot write "${clipText(shown, 200)}": ${why}.`, {
      fix: "Name a file that does not exist yet, in a folder that does.",
      cause,
    });
  }
}
