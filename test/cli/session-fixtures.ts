import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Host } from "../../src/cli/output/output.ts";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { createSessionStore, type SessionStore } from "../../src/journal/session-store.ts";
import { manualClock } from "../../src/testing/manual-clock.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";
import { makeFolder } from "./run-cli.ts";

/** A state folder of one test, with what puts sessions into it. */
export interface StateFolder {
  readonly home: string;
  readonly sessions: string;
  /** Puts a session on record and closes it. `at` is when, in milliseconds since the epoch. */
  record(id: string, entries: readonly JsonObject[], options?: { readonly at?: number }): Promise<void>;
  /** The store of a process that lives: this one. */
  readonly store: SessionStore;
  journalOf(id: string): string;
}

export function stateFolderOfTest(): StateFolder {
  const home = makeFolder();
  const sessions = path.join(home, "sessions");
  const store = createSessionStore({ folder: sessions });
  return {
    home,
    sessions,
    store,
    async record(id, entries, { at = Date.now() } = {}) {
      const { ports } = createSessionStore({ folder: sessions, clock: manualClock(at) });
      const lease = await ports.lock.open(id);
      for (const entry of entries) await ports.journal.append({ ...entry, session: id }, { sync: false });
      await lease.release();
    },
    journalOf: (id) => path.join(sessions, id, "journal.jsonl"),
  };
}

/** A conversation of one call. */
export function conversation(said = "hello"): readonly JsonObject[] {
  return [
    { type: "session-opened", isResumed: false, policy: "p" },
    { type: "message", message: { role: "user", content: [{ type: "text", text: said }] } },
    {
      type: "message",
      message: {
        role: "assistant",
        parts: [
          { type: "text", text: "Let me see." },
          { type: "tool-call", call: { id: "c1", name: "read", input: { path: "a.md" } } },
        ],
      },
    },
    { type: "intent", callId: "c1", name: "read", caller: { kind: "model" }, input: { path: "a.md" } },
    { type: "outcome", callId: "c1", name: "read", outcome: "ok", content: [{ type: "text", text: "the text" }] },
    { type: "session-closed" },
  ];
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line in this process. */
export async function runHere(
  argv: readonly string[],
  { home, host = fakeHost({ env: { TOOLMAP_HOME: home } }) }: { readonly home: string; readonly host?: FakeHost },
): Promise<Ran> {
  const signal = new AbortController().signal;
  const code = await runCommandLine(argv, { host: host satisfies Host, signal, crash: new Promise(() => undefined) });
  return { code, ...host.written };
}

/** Changes one byte inside of the text of an entry. */
export function flipByte(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text);
  if (at === -1) throw new Error(`"${text}" is not in ${file}`);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
