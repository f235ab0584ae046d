/**
 * The closed table of what throws: a developer's breach, never a call's failure. Codes are never reused.
 * docs/errors.md lists the same rows; a test compares them.
 */
export const ERROR_CODES = {
  "bad-tool": "A tool definition is not usable: its name, description, schema or execute function.",
  "bad-source": "A tool source breaks its contract.",
  "duplicate-tool-name":
    "The program passed two tools whose names are equal once case, dashes and underscores are folded.",
  "bad-policy": "A policy layer or one of its entries cannot be used.",
  "bad-option": "An option of createAgentSession, createToolRegistry or a call has a value that cannot be used.",
  "bad-hook": "A hook definition is not usable.",
  "hook-expired": "A hook wrote through its context after its deadline or after it had settled.",
  "session-busy": "prompt() was called while another prompt of the same session was running.",
  "session-closed": "The session was closed; nothing more can be started on it.",
  "no-model": "prompt() was called on a session that was created without a model.",
  "unknown-session": "A session was to be resumed of which nothing is on record.",
  "unknown-secret": "A tool asked for a secret that the secrets port does not hold.",
  "bad-script": "A file of scripted turns cannot be read, or a script was not played as written.",
  "bad-config": "A configuration file cannot be read or holds a value that cannot be used.",
  "session-open-elsewhere": "A session was to be opened that another process, or this one, has open.",
  "journal-failed": "The record of a session could not be written, read or kept on the disk.",
  "journal-fenced": "A process tried to write the record of a session that another one has taken over.",
  usage: "A command line cannot be understood.",
  "not-yet-configured": "A flag needs a configuration file, which this version does not read yet.",
  internal: "A defect of toolmap itself.",
} as const;

/** A code of the table. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** What a thrown error says beside its message: where it comes from and the way out. */
export interface ErrorContext {
  readonly fix?: string | undefined;
  /** `file:line`, where there is one. */
  readonly source?: string | undefined;
  readonly cause?: unknown;
}

/** A developer's breach. `code` is stable; the message says what, to what, and why; `fix` the way out. */
export class ToolmapError extends Error {
  readonly code: ErrorCode;
  readonly fix: string | undefined;
  readonly source: string | undefined;

  constructor(code: ErrorCode, message: string, { fix, source, cause }: ErrorContext = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ToolmapError";
    this.code = code;
    this.fix = fix;
    this.source = source;
  }
}
