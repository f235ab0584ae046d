import { isRecord, type JsonValue } from "../json.ts";
import type { Content } from "../tool/content.ts";
import { copyJson, copyOutput, readContent } from "../tool/read-content.ts";
import { isOutcome } from "../tool/result.ts";
import type { CallRun } from "./call-run.ts";

/** Turns whatever the tool gave into content. Content is never empty. */
export function normaliseOutput(run: CallRun): void {
  const { raw } = run;
  if (!raw) return;
  if (raw.kind === "throw") {
    run.outcome = "error";
    run.content = [text(describeThrown(raw.error))];
    return;
  }
  run.outcome = "ok";
  try {
    readValue(run, raw.value);
  } catch {
    run.content = [text("(a result that could not be read)")];
    run.note("the tool's result could not be read");
  }
}

export const NO_OUTPUT = "(no output)";

function readValue(run: CallRun, value: unknown): void {
  if (typeof value === "string") run.content = [text(value)];
  else if (value === undefined || value === null) run.content = [text("")];
  else if (typeof value !== "object") run.content = [text(describePrimitive(value))];
  else if (value instanceof Error) readError(run, value);
  else if (hasContent(value)) readStructured(run, value);
  else readPlain(run, value);
  if (!run.content.some(isSomething)) run.content = [text(fallbackText(run))];
}

function describePrimitive(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return `(a ${typeof value}, which is no output)`;
}

function readError(run: CallRun, error: Error): void {
  run.outcome = "error";
  run.content = [text(describeThrown(error))];
}

type WithContent = Readonly<Record<string, unknown>> & { readonly content: readonly unknown[] };

/** A result of ours, or the shape that MCP uses: blocks under `content`. */
function hasContent(value: object): value is WithContent {
  if (!isRecord(value) || !Array.isArray(value["content"])) return false;
  return value["content"].every((block) => isRecord(block) && typeof block["type"] === "string");
}

function readStructured(run: CallRun, value: WithContent): void {
  run.content = value.content.map(readContent);
  if (value["structuredContent"] !== undefined) run.structuredContent = copyOutput(value["structuredContent"]);
  if (isOutcome(value["outcome"]) && typeof value["callId"] === "string") run.outcome = value["outcome"];
  else if (value["isError"] === true) run.outcome = "error";
}

/** Any other object: JSON text for the model, the same value for programs. */
function readPlain(run: CallRun, value: object): void {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    run.content = [text(`(${value.byteLength} bytes; return them as a file block to hand them on)`)];
    return;
  }
  const plain = copyOutput(
    value instanceof Map ? Object.fromEntries(value) : value instanceof Set ? [...value] : value,
  );
  if (plain === undefined) {
    run.content = [text("(a result that is not JSON)")];
    run.note("the tool returned a value that JSON cannot carry");
    return;
  }
  if (Array.isArray(plain) && plain.length === 0 && !run.found.descriptor.outputSchema) return void (run.content = []);
  run.structuredContent = plain;
  run.content = [text(typeof plain === "string" ? plain : JSON.stringify(plain))];
}

function fallbackText({ structuredContent }: CallRun): string {
  return structuredContent === undefined ? NO_OUTPUT : JSON.stringify(structuredContent satisfies JsonValue);
}

function isSomething(block: Content): boolean {
  return block.type !== "text" || block.text.trim() !== "";
}

function text(value: string): Content {
  return { type: "text", text: value.toWellFormed() };
}

/** The message of a throw, whole: it is for the model. Never a stack. Anything may be thrown. */
function describeThrown(error: unknown): string {
  try {
    const said = error instanceof Error ? error.message || error.name : textOfThrown(error);
    return said.trim() === "" ? "The tool failed and gave no reason." : said;
  } catch {
    return "The tool failed and gave no reason.";
  }
}

/** What was thrown in place of an error, in words: a text as it is, else as JSON. */
function textOfThrown(error: unknown): string {
  if (typeof error === "string") return error;
  const plain = copyJson(error);
  if (isRecord(plain) && typeof plain["message"] === "string") return plain["message"];
  const text = plain === undefined || plain === null ? "" : JSON.stringify(plain);
  return text === "{}" ? "" : text;
}
