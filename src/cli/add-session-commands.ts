import type { Command } from "commander";
import { type Choose, examples } from "./command-grammar.ts";
import { readCount } from "./input/read-count.ts";
import { readDuration } from "./input/read-duration.ts";

/** Adds what is done with the records of sessions. */
export function addSessionCommands(program: Command, choose: Choose): void {
  const sessions = program
    .command("sessions")
    .summary("list, show, export, repair and remove what is on record")
    .description("Does things with the records of sessions. An id may be shortened as long as it stays unique.")
    .addHelpText(
      "after",
      examples("toolmap sessions list", "toolmap sessions show ID", "toolmap sessions purge --older-than 30d"),
    );
  addList(sessions, choose);
  addShow(sessions, choose);
  addExport(sessions, choose);
  addRepair(sessions, choose);
  addPurge(sessions, choose);
  addAudit(program, choose);
}

function addList(sessions: Command, choose: Choose): void {
  sessions
    .command("list")
    .summary("the sessions on record, newest first")
    .description("Lists the sessions on record, newest first. One that a process has open is marked.")
    .option("--here", "only those of this folder")
    .option("--limit <count>", "at most so many", (text) => readCount(text, "--limit", { least: 1 }))
    .addHelpText(
      "after",
      examples("toolmap sessions list", "toolmap sessions list --here --limit 5", "toolmap sessions list --json"),
    )
    .action((options: { readonly here?: boolean; readonly limit?: number }, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/sessions/list.ts")).listSessions(options, context),
      );
    });
}

function addShow(sessions: Command, choose: Choose): void {
  sessions
    .command("show")
    .summary("a session as a conversation")
    .description(
      "Shows what was said and done in a session. It takes no lock: a session that is open elsewhere can be watched.",
    )
    .argument("<id>", ID)
    .option("--follow", "go on showing what is added, until the session is closed")
    .addHelpText(
      "after",
      examples(
        "toolmap sessions show 3f2a",
        "toolmap sessions show 3f2a --follow",
        "toolmap sessions show 3f2a --json",
      ),
    )
    .action((id: string, options: { readonly follow?: boolean }, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/sessions/show.ts")).showSession({ id, ...options }, context),
      );
    });
}

function addExport(sessions: Command, choose: Choose): void {
  sessions
    .command("export")
    .summary("everything on record of a session, as one JSON document")
    .description("Prints everything that is on record of a session as one JSON document, or writes it to a new file.")
    .argument("<id>", ID)
    .option("--output <file>", "write to this file, which must not exist yet")
    .addHelpText(
      "after",
      examples("toolmap sessions export 3f2a", "toolmap sessions export 3f2a --output session.json"),
    )
    .action((id: string, options: { readonly output?: string }, command: Command) => {
      choose(
        command,
        async (context) =>
          await (await import("./commands/sessions/export.ts")).exportSession({ id, ...options }, context),
      );
    });
}

function addRepair(sessions: Command, choose: Choose): void {
  sessions
    .command("repair")
    .summary("leave out what is damaged, and keep the file as it was")
    .description(
      "Writes the record of a session anew without what is damaged in it. The file as it was is kept beside it.",
    )
    .argument("<id>", ID)
    .addHelpText("after", examples("toolmap sessions repair 3f2a", "toolmap sessions repair 3f2a --json"))
    .action((id: string, _options: unknown, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/sessions/repair.ts")).repairSession(id, context),
      );
    });
}

function addPurge(sessions: Command, choose: Choose): void {
  sessions
    .command("purge")
    .summary("remove sessions for good")
    .description("Removes those sessions for which everything that is given speaks. One that is open stays.")
    .argument("[id...]", ID)
    .option("--older-than <time>", "nothing was added for so long, such as 12h or 30d", (text) =>
      readDuration(text, "--older-than", { longestDays: 36_500 }),
    )
    .option("--keep <count>", "all but the newest so many", (text) => readCount(text, "--keep", { least: 0 }))
    .option("--yes", "do not ask")
    .addHelpText(
      "after",
      examples(
        "toolmap sessions purge 3f2a",
        "toolmap sessions purge --older-than 30d",
        "toolmap sessions purge --keep 20 --yes",
      ),
    )
    .action((ids: readonly string[], options: PurgeFlags, command: Command) => {
      choose(
        command,
        async (context) =>
          await (await import("./commands/sessions/purge.ts")).purgeSessions({ ids, ...options }, context),
      );
    });
}

interface PurgeFlags {
  readonly olderThan?: number;
  readonly keep?: number;
  readonly yes?: boolean;
}

function addAudit(program: Command, choose: Choose): void {
  program
    .command("audit")
    .summary("check that records are as they were written")
    .description("Checks the records of sessions.")
    .addHelpText("after", examples("toolmap audit verify", "toolmap audit verify 3f2a"))
    .command("verify")
    .summary("whether a record, or all of them, are as they were written")
    .description(
      "Checks the chain of hashes of a record, or of all, and prints where each ends. Noted elsewhere, that end shows later what the chain alone cannot: that its last lines were changed or cut off.",
    )
    .argument("[id]", ID)
    .option("--head <head>", "what verify printed earlier for this session, as NUMBER:HASH")
    .addHelpText(
      "after",
      examples(
        "toolmap audit verify",
        "toolmap audit verify 3f2a --head 12:9f2c41d0a7b35e6688c1d2e3f4a5b6c7",
        "toolmap audit verify --json",
      ),
    )
    .action((id: string | undefined, options: { readonly head?: string }, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/audit.ts")).verifyAudit({ id, ...options }, context),
      );
    });
}

const ID = "a session's id, or the beginning of it";
