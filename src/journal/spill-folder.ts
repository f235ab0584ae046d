import type { SpillPort } from "../core/dispatch/ports.ts";
import { ToolmapError } from "../core/errors.ts";
import { BlobFolder } from "./blob-folder.ts";
import type { Disk } from "./disk.ts";
import { GroupCommit } from "./group-commit.ts";
import { journalError } from "./journal-error.ts";

/** Output of one session, in its folder; of no session in particular, beside the sessions' folders. */
export const SPILL_FOLDER = "spills";
export const SHARED_SPILL_FOLDER = ".spills";

/**
 * Output over the limit, in a folder. An id is the beginning of the text's hash: a name that resolves in this folder and
 * nowhere else. Offsets and lengths are in characters (UTF-16 units). Rejects with `journal-failed` when the disk fails,
 * with `bad-option` for an id under which nothing is kept.
 */
export function createSpillFolder(folder: string, disk: Disk): SpillPort {
  const texts = new BlobFolder(folder, { disk, digits: ID_DIGITS });
  const commit = new GroupCommit(() => texts.sync());
  let last: { readonly id: string; readonly text: string } | undefined;
  return {
    async write(text) {
      try {
        const { $blob: id } = texts.store(text);
        await commit.request();
        return { id };
      } catch (error) {
        throw journalError(folder, "written", error);
      }
    },
    async read(id, offset, length) {
      // A model pages through one text: it is read and checked once.
      if (last?.id !== id) last = { id, text: loadText(texts, id) };
      return last.text.slice(offset, offset + length);
    },
  };
}

/** Short, since a model repeats it; 96 bits, since two texts must not share it. */
const ID_DIGITS = 24;

function loadText(texts: BlobFolder, id: string): string {
  const text = texts.load(id);
  if (text !== undefined) return text;
  throw new ToolmapError("bad-option", `No output was spilled under the id ${JSON.stringify(id)}.`);
}
