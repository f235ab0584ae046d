import type { FileHandle } from "node:fs/promises";
import type { SpillPort } from "../core/dispatch/ports.ts";
import type { AgentTool, ToolContext } from "../core/tool/tool.ts";
import { coreTool, LOOKS_ONLY } from "./core-tool.ts";
import { fileChunks, spillChunks } from "./file-chunks.ts";
import { openFile, type OpenedFile } from "./open-file.ts";
import { countLines, readPage, type Page } from "./page.ts";
import { fileKeys } from "./resource-keys.ts";
import { sniff, SNIFF_BYTES } from "./sniff.ts";
import { cannot, explaining, ToolFailure, type Task } from "./tool-failure.ts";
import type { Workspace } from "./workspace.ts";

export interface ReadInput {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly column?: number;
}

/** Reads a page of a text file or of a kept output, or shows an image. */
export function readTool(workspace: Workspace, spill: SpillPort | undefined): AgentTool<ReadInput, ReadInput> {
  return coreTool<ReadInput>({
    name: "read",
    description:
      "Reads a text file as numbered lines, at most 2000 lines or 50 KiB a call. Each line starts with its number and →, " +
      "which are not part of the file. When more follows, the result ends with the exact next call. Shows png, jpeg, gif and webp images.",
    properties: {
      path: {
        type: "string",
        description: "File, relative to the root. spill:<id> reads an output that was too long to show.",
      },
      offset: {
        type: "integer",
        description: "First line, from 1. Negative counts from the end: -20 is the last 20 lines.",
      },
      limit: { type: "integer", minimum: 1, description: "How many lines, at most 2000." },
      column: {
        type: "integer",
        minimum: 1,
        description: "First character of the first line, from 1. For very long lines.",
      },
    },
    required: ["path"],
    annotations: LOOKS_ONLY,
    resources: (input) => (spillIdOf(input.path) === undefined ? fileKeys(workspace, input.path, "read") : []),
    execute: (input, { signal }) => {
      const id = spillIdOf(input.path);
      return id === undefined ? readFile(workspace, input, signal) : readSpill(spill, { input, id, signal });
    },
  });
}

const PAGE_LINES = 2000;
const PAGE_BYTES = 50 * 1024;
const SPILL_PREFIX = "spill:";

function spillIdOf(path: unknown): string | undefined {
  return typeof path === "string" && path.startsWith(SPILL_PREFIX) ? path.slice(SPILL_PREFIX.length) : undefined;
}

/** Opens the text's beginning anew each time: a negative offset needs a first pass to count the lines. */
type Chunks = () => AsyncIterable<Buffer>;

async function readSpill(
  spill: SpillPort | undefined,
  { input, id, signal }: { readonly input: ReadInput; readonly id: string; readonly signal: AbortSignal },
): Promise<string> {
  const task = taskOf(input);
  if (!spill) throw cannot(task, "no output is kept in this session");
  try {
    return await readText(() => spillChunks(spill, id, signal), input);
  } catch (error) {
    if (signal.aborted || error instanceof ToolFailure) throw error;
    throw cannot(task, "no output is kept under this name, or no longer", "Repeat the call that produced it");
  }
}

async function readFile(workspace: Workspace, input: ReadInput, signal: ToolContext["signal"]): Promise<unknown> {
  const opened = await openFile(workspace, taskOf(input));
  const { handle } = opened;
  try {
    return await explaining(taskOf(input), async () => {
      const head = await readHead(handle);
      const found = sniff(head);
      if (found.kind === "image") return await showImage(opened, found.mimeType);
      if (found.kind === "utf-16") throw notText(input, "it is UTF-16 text");
      if (found.kind === "binary") throw notText(input, describeBinary(head, opened));
      return await readText(() => fileChunks(handle, signal), input);
    });
  } finally {
    await handle.close();
  }
}

async function readHead(handle: FileHandle): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFF_BYTES), 0, SNIFF_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

async function showImage({ handle, place, stat }: OpenedFile, mimeType: string): Promise<unknown> {
  const label = `${place.shown}: ${mimeType}, ${stat.size} bytes`;
  if ((stat.size * 4n) / 3n > LARGEST_IMAGE)
    return `${label}. It is too large to be shown; the limit is 4.5 MiB in base64.`;
  // Read to the size at open and no further: a growing file stays bounded.
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(Number(stat.size)), 0, Number(stat.size), 0);
  const data = buffer.toString("base64", 0, bytesRead);
  return {
    content: [
      { type: "text", text: label },
      { type: "image", data, mimeType },
    ],
  };
}

const LARGEST_IMAGE = 4_718_592n;

function describeBinary(head: Buffer, { stat }: OpenedFile): string {
  const start = head.subarray(0, 16).toString("hex").replace(/../g, "$& ").trim();
  return `it is binary (${stat.size} bytes, starting with ${start})`;
}

async function readText(chunks: Chunks, input: ReadInput): Promise<string> {
  const offset = await firstLine(chunks, input);
  const limit = Math.min(input.limit ?? PAGE_LINES, PAGE_LINES);
  const page = await readPage(chunks(), { offset, column: input.column ?? 1, limit, maxBytes: PAGE_BYTES });
  return showPage(page, { ...input, offset });
}

async function firstLine(chunks: Chunks, input: ReadInput): Promise<number> {
  const { offset = 1 } = input;
  if (offset > 0) return offset;
  if (offset === 0) throw cannot(taskOf(input), "offset 0 is no line", "Lines count from 1, or from the end with -1");
  return Math.max(1, (await countLines(chunks())) + offset + 1);
}

function showPage(page: Page, input: ReadInput & { readonly offset: number }): string {
  const task = taskOf(input);
  switch (page.kind) {
    case "lines":
      return `${page.text}${footer(page, input)}`;
    case "empty":
      return "[The file is empty.]";
    case "past-end":
      throw cannot(task, `offset ${input.offset} is past the end; there are ${count(page.lines, "line")}`);
    case "past-line":
      throw cannot(
        task,
        `column ${input.column} is past the end of line ${page.line}; it has ${count(page.characters, "character")}`,
      );
    case "not-text":
      throw notText(input, `line ${page.line} is not valid UTF-8`);
  }
}

/** Nothing for a text that was shown whole. */
function footer(
  { lastLine, next }: Extract<Page, { kind: "lines" }>,
  input: ReadInput & { readonly offset: number },
): string {
  const range = input.offset === lastLine ? `Line ${lastLine}` : `Lines ${input.offset}-${lastLine}`;
  if (next) {
    const call = { path: input.path, ...next, ...(input.limit === undefined ? {} : { limit: input.limit }) };
    const part = next.column === undefined ? "" : `, in part: up to character ${next.column - 1} of line ${lastLine}`;
    return `\n\n[${range}${part}. More follows. To go on, call read with ${JSON.stringify(call)}.]`;
  }
  return input.offset === 1 && (input.column ?? 1) === 1 ? "" : `\n\n[${range}, to the end.]`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}

function notText(input: ReadInput, why: string): Error {
  return cannot(taskOf(input), why, "Only UTF-8 text and images can be read; use a program that knows its format");
}

function taskOf({ path }: ReadInput): Task {
  return { verb: "read", path };
}
