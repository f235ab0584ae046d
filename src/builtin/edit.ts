import type { AgentTool, ToolContext } from "../core/tool/tool.ts";
import { applyReplacements, planEdits, type Edit } from "./apply-edits.ts";
import { coreTool } from "./core-tool.ts";
import { editDiff } from "./edit-diff.ts";
import { openFile, type OpenedFile } from "./open-file.ts";
import { replaceFile } from "./replace-file.ts";
import { fileKeys } from "./resource-keys.ts";
import { cannot, explaining, type Task } from "./tool-failure.ts";
import { BYTE_ORDER_MARK, decodeUtf8 } from "./utf8.ts";
import type { Workspace } from "./workspace.ts";

export interface EditInput {
  readonly path: string;
  readonly edits: readonly Edit[];
}

/** Replaces exact pieces of a text file; every other byte stays. */
export function editTool(workspace: Workspace): AgentTool<EditInput, EditInput> {
  return coreTool<EditInput>({
    name: "edit",
    description:
      "Replaces exact pieces of a UTF-8 file. Every edit is matched against the file as it is now, and either all are made or none. " +
      "The line numbers that read shows are not part of the file. Line ends follow the file. Returns a diff.",
    properties: {
      path: { type: "string", description: "File, relative to the root." },
      edits: {
        type: "array",
        minItems: 1,
        description: "Changes in pieces that do not overlap.",
        items: {
          type: "object",
          properties: {
            old: {
              type: "string",
              description: "The text to replace, exactly, with enough around it to stand there once.",
            },
            new: { type: "string", description: "What stands there afterwards." },
            all: { type: "boolean", description: "Replace every place, not just a single one." },
          },
          required: ["old", "new"],
          additionalProperties: false,
        },
      },
    },
    required: ["path", "edits"],
    // Not destructive: the call itself states what it takes away, so it can be undone from its record.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    resources: ({ path }) => fileKeys(workspace, path, "write"),
    execute: (input, { signal }) => editFile(workspace, input, signal),
  });
}

const LARGEST_FILE = 16 * 1024 * 1024;

async function editFile(
  workspace: Workspace,
  { path, edits }: EditInput,
  signal: ToolContext["signal"],
): Promise<string> {
  const task = { verb: "edit", path };
  const opened = await openFile(workspace, task);
  const whole = await explaining(task, () => readWhole(opened, task));
  const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = whole.slice(mark.length);
  const replacements = planEdits(task, text, edits);
  const after = applyReplacements(text, replacements);
  if (after === text) throw cannot(task, "the edits change nothing");
  signal.throwIfAborted();
  await replaceFile(workspace, { task, bytes: Buffer.from(mark + after), unchangedSince: opened.stat });
  const places = replacements.length === 1 ? "1 place" : `${replacements.length} places`;
  return `Edited ${opened.place.shown} in ${places}.\n${editDiff(opened.place.shown, text, replacements)}`;
}

async function readWhole({ handle, stat }: OpenedFile, task: Task): Promise<string> {
  try {
    if (stat.size > LARGEST_FILE) throw cannot(task, `it has ${stat.size} bytes; the limit is ${LARGEST_FILE}`);
    const text = decodeUtf8(await handle.readFile());
    if (text !== undefined) return text;
    throw cannot(task, "it is not UTF-8 text, and changing it could damage it", "Convert it to UTF-8 first");
  } finally {
    await handle.close();
  }
}
