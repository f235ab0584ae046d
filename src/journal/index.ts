/** The record of a session on disk. */
export type { AppendFile, Disk } from "./disk.ts";
export type { SessionExport } from "./export-session.ts";
export type { Holder } from "./lease-name.ts";
export type { Problem, ProblemKind } from "./problem.ts";
export type { Purge, PurgeOptions } from "./purge-sessions.ts";
export type { Head } from "./read-journal.ts";
export type { ReadSession, RecordedEntry } from "./read-session.ts";
export type { Repair } from "./repair-session.ts";
export { createSessionStore, type SessionStore, type SessionStoreOptions } from "./session-store.ts";
export type { SessionState } from "./session-state.ts";
export type { SessionSummary } from "./session-summary.ts";
export type { Verification } from "./verify-session.ts";
