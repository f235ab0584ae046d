/** The record of a session on disk. */
export type { AppendFile, Disk } from "./disk.ts";
export { createFileStore, type FileStore, type FileStoreOptions } from "./file-store.ts";
export { nodeDisk } from "./node-disk.ts";
export type { Problem, ProblemKind } from "./problem.ts";
export type { Head } from "./read-journal.ts";
export type { ReadSession, RecordedEntry } from "./read-session.ts";
