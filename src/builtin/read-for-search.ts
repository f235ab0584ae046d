import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { isOpenedInside } from "./opened-path.ts";
import { SNIFF_BYTES } from "./sniff.ts";
import { systemCode } from "./tool-failure.ts";
import type { Workspace } from "./workspace.ts";

/** A file's text as a search sees it, or why it is left out. */
export type SearchText =
  | { readonly kind: "text"; readonly text: string; readonly bytes: number }
  | { readonly kind: "binary" | "too-large" | "unreadable" };

/** Larger files are not searched. */
export const LARGEST_SEARCHED = 16 * 1024 * 1024;

/**
 * Reads a regular file by its real path. Synchronous: for the many small files of a tree this takes a tenth of the time.
 * Bytes that are not UTF-8 are replaced, which hides no match of plain text.
 */
export function readForSearch(workspace: Workspace, real: string): SearchText {
  try {
    const file = openSync(real, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
    try {
      return isOpenedInside(workspace, real, file) ? readOpen(file) : { kind: "unreadable" };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return { kind: "unreadable" };
  }
}

function readOpen(file: number): SearchText {
  const stat = fstatSync(file);
  if (!stat.isFile()) return { kind: "unreadable" };
  if (stat.size > LARGEST_SEARCHED) return { kind: "too-large" };
  const bytes = Buffer.allocUnsafe(stat.size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(file, bytes, length, bytes.length - length, length);
  const content = bytes.subarray(0, length);
  if (content.subarray(0, SNIFF_BYTES).includes(0)) return { kind: "binary" };
  return { kind: "text", text: new TextDecoder().decode(content), bytes: length };
}
