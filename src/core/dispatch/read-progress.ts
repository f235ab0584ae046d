import { isRecord } from "../json.ts";
import type { Content } from "../tool/content.ts";
import { readContent } from "../tool/read-content.ts";
import type { ProgressUpdate } from "../tool/tool.ts";

/** What a tool reported, as a copy of our own. Members that cannot be read or are of another type are left out; never throws. */
export function readProgress(update: unknown): ProgressUpdate {
  try {
    if (!isRecord(update)) return NOTHING;
    const { message, content, progress, total } = update;
    return {
      ...(typeof message === "string" ? { message: message.toWellFormed() } : {}),
      ...(Array.isArray(content) ? { content: readBlocks(content) } : {}),
      ...(typeof progress === "number" ? { progress } : {}),
      ...(typeof total === "number" ? { total } : {}),
    };
  } catch {
    return NOTHING;
  }
}

const NOTHING: ProgressUpdate = Object.freeze({});

function readBlocks(content: readonly unknown[]): readonly Content[] {
  return Object.freeze(content.map(readContent));
}
