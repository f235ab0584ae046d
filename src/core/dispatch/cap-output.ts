import { messageOf } from "../hooks/call-hook.ts";
import type { Content } from "../tool/content.ts";
import type { CallRun } from "./call-run.ts";
import { cutHead, cutTail, utf8Length } from "./cut-text.ts";

/** Cuts text over the limit and keeps the whole where the spill port puts it. The same cap for every source of output. */
export function capOutput(run: CallRun): void | Promise<void> {
  const { resultBytes } = run.services.limits;
  capStructured(run, resultBytes);
  let units = 0;
  for (const block of run.content) units += isPlainText(block) ? block.text.length : Number.POSITIVE_INFINITY;
  // A UTF-16 unit is at most three bytes: short texts are not measured.
  if (units * 3 <= resultBytes) return undefined;
  run.content = run.content.map((block) => capMembers(capBlob(block, Math.max(resultBytes, BLOB_BYTES)), resultBytes));
  const bytes = run.content.reduce((sum, block) => sum + utf8Length(textOf(block)), 0);
  return bytes <= resultBytes ? undefined : cutText(run, bytes);
}

/** Images and the like may be larger than text, since providers count them otherwise. */
const BLOB_BYTES = 8 * 1024 * 1024;

async function cutText(run: CallRun, bytes: number): Promise<void> {
  const { resultBytes } = run.services.limits;
  const whole = run.content
    .map(textOf)
    .filter((text) => text !== "")
    .join("\n");
  const spill = await spillWhole(run, whole);
  const head = cutHead(whole, Math.floor(resultBytes * HEAD_SHARE));
  const tail = cutTail(whole, Math.floor(resultBytes * TAIL_SHARE));
  const shown = `The first ${utf8Length(head)} and the last ${utf8Length(tail)} of ${bytes} bytes are shown.`;
  const marker = `[cut] ${shown} ${spill === undefined ? "The rest was not kept." : hintOf(run, spill, head)}`;
  const text: Content = { type: "text", text: `${head}\n${marker}\n${tail}` };
  if (spill !== undefined) run.spilled = { id: spill, bytes };
  const at = run.content.findIndex((block) => textOf(block) !== "");
  run.content = run.content.flatMap((block, index) => (index === at ? [text] : textOf(block) === "" ? [block] : []));
}

const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

async function spillWhole(run: CallRun, whole: string): Promise<string | undefined> {
  if (!run.services.spill) return undefined;
  try {
    return (await run.services.spill.write(whole)).id;
  } catch (error) {
    run.note(`the whole output could not be kept: ${messageOf(error)}`);
    return undefined;
  }
}

/** The exact next call, where there is a tool to make it with. Lines and columns count from 1, columns in characters. */
function hintOf(run: CallRun, spill: string, head: string): string {
  const read = run.services.currentView().entries.get("read");
  if (!read || read.hidden || read.descriptor.owner.kind !== "core")
    return "The rest is kept, and no tool here can read it.";
  const lines = head.split("\n");
  const column = countCharacters(lines.at(-1) ?? "") + 1;
  const place = column === 1 ? { offset: lines.length } : { offset: lines.length, column };
  return `To go on, call read with ${JSON.stringify({ path: `spill:${spill}`, ...place })}.`;
}

function capStructured(run: CallRun, limit: number): void {
  if (run.structuredContent === undefined) return;
  const size = JSON.stringify(run.structuredContent).length;
  if (size <= limit) return;
  run.structuredContent = undefined;
  run.note(`the structured output (${size} characters) is over the limit of ${limit} and was left out`);
}

function capBlob(block: Content, limit: number): Content {
  const data = blobOf(block);
  if (data === undefined || data.length <= limit) return block;
  return {
    type: "text",
    text: `(${block.type} of ${data.length} base64 characters, over the limit of ${limit}, left out)`,
  };
}

function isPlainText(block: Content): block is Extract<Content, { readonly type: "text" }> {
  return block.type === "text" && block.annotations === undefined && block._meta === undefined;
}

/** What a block carries beside its text and bytes: a name, an address, what a server adds. Over the limit it goes, or the block does. */
function capMembers(block: Content, limit: number): Content {
  if (block.type === "unknown") return block;
  const carried = textOf(block).length + (blobOf(block)?.length ?? 0);
  if (JSON.stringify(block).length - carried <= Math.min(limit, MEMBER_CHARACTERS)) return block;
  if (block.type === "text") return { type: "text", text: block.text };
  const text = textOf(block);
  const what = `(${block.type} whose other members are over ${MEMBER_CHARACTERS} characters, left out)`;
  return { type: "text", text: text === "" ? what : `${text}\n${what}` };
}

const MEMBER_CHARACTERS = 16 * 1024;

function blobOf(block: Content): string | undefined {
  switch (block.type) {
    case "image":
    case "audio":
    case "file":
      return block.data;
    case "resource":
      return "blob" in block.resource ? block.resource.blob : undefined;
    default:
      return undefined;
  }
}

/** The text that a block brings into a model's context; "" for one that brings none. */
function textOf(block: Content): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return "text" in block.resource ? block.resource.text : "";
    case "unknown":
      return JSON.stringify(block.value);
    default:
      return "";
  }
}

/** Code points, as `read` counts its columns. */
function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
