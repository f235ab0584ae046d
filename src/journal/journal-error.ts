import { ToolmapError } from "../core/errors.ts";

/** What the system refused, as an error that says which file, why and the way out. `doing` is "written", "read", … */
export function journalError(file: string, doing: string, error: unknown): ToolmapError {
  if (error instanceof ToolmapError) return error;
  const code = codeOf(error);
  const [why, fix] = REASONS.get(code) ?? [error instanceof Error ? error.message : String(error), REOPEN];
  const reason = code === "" || why.includes(code) ? why : `${why} (${code})`;
  return new ToolmapError("journal-failed", `"${file}" could not be ${doing}: ${reason}.`, { fix, cause: error });
}

const REOPEN = "Look at the file and its disk, then open the session again.";

const REASONS: ReadonlyMap<string, readonly [why: string, fix: string]> = new Map([
  ["ENOSPC", ["the disk is full", "Free some space, then open the session again."]],
  ["EDQUOT", ["the quota is used up", "Free some space, then open the session again."]],
  ["EROFS", ["the disk is read-only", "Make it writable, or choose another folder."]],
  ["EACCES", ["permission is denied", "Give this user the right to write there, or choose another folder."]],
  ["EPERM", ["it is not permitted", "Give this user the right to write there, or choose another folder."]],
  ["ENOENT", ["the folder is not there any more", "Bring it back, then open the session again."]],
  ["ENOTDIR", ["what should be a folder is a file", "Choose another folder."]],
  ["EIO", ["the disk failed", "Save what is on the disk, then open the session again."]],
  ["EMFILE", ["too many files are open", "Close some sessions, or raise the limit."]],
]);

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
