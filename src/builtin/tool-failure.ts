import { clipText } from "../core/json.ts";

/** A failure in words for the model: what could not be done, to what, why, and the way out. Never an outside path. */
export class ToolFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ToolFailure";
  }
}

/** What a tool was doing, and to which path as the caller wrote it. */
export interface Task {
  readonly verb: string;
  readonly path: string;
}

/** `why` and `fix` are clauses without a final stop. */
export function cannot({ verb, path }: Task, why: string, fix?: string): ToolFailure {
  return new ToolFailure(`Cannot ${verb} ${quote(path)}: ${why}.${fix === undefined ? "" : ` ${fix}.`}`);
}

/** Text in quotes, clipped, safe to show. */
export function quote(text: string): string {
  return `"${clipText(text, 200)}"`;
}

/** Runs file work; an error of the operating system becomes a sentence about `task`. */
export async function explaining<T>(task: Task, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemFailure(task, error);
  }
}

/** A ToolFailure about `task` for an error that has a system code; any other error as it is. */
export function systemFailure(task: Task, error: unknown): unknown {
  const code = systemCode(error);
  return code === undefined ? error : cannot(task, describeCode(code));
}

/** `ENOENT` and the like, where the error is one of the operating system. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return /^E[A-Z0-9]+$/.test(error.code) ? error.code : undefined;
}

/** A system code as a clause. */
export function describeCode(code: string): string {
  return CLAUSES.get(code) ?? `the system answered ${code}`;
}

const CLAUSES: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it does not exist"],
  ["EACCES", "permission is denied"],
  ["EPERM", "the system does not permit it"],
  ["ENOTDIR", "a part of the path is a file, not a folder"],
  ["EISDIR", "it is a folder"],
  ["ELOOP", "its symbolic links form a circle"],
  ["ENAMETOOLONG", "a name in it is too long"],
  ["ENOSPC", "the disk is full"],
  ["EDQUOT", "the disk quota is used up"],
  ["EROFS", "the file system is read-only"],
  ["EMFILE", "too many files are open"],
  ["ENFILE", "too many files are open"],
  ["EBUSY", "it is in use"],
  ["EXDEV", "it is a mount point of its own"],
  ["ETXTBSY", "it is a program that is running"],
  ["EFBIG", "it would be too large"],
  ["EIO", "the disk reported an error"],
]);
