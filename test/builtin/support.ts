import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { builtinTools, type BuiltinOptions } from "../../src/builtin/builtin-tools.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { ResourceKey } from "../../src/core/tool/result.ts";
import type { AgentTool, ProgressUpdate, ToolContext } from "../../src/core/tool/tool.ts";

/** A real folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = realpathSync.native(mkdtempSync(path.join(tmpdir(), "toolmap-builtin-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
  readonly content: readonly JsonObject[];
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (update: ProgressUpdate) => void;
}

/** The built-in tools on a root, called without a dispatcher. A throw is an error, as the dispatcher has it. */
export function createHands(root: string, options: Partial<BuiltinOptions> = {}): Hands {
  const source = builtinTools({ root, ...options });
  onTestFinished(() => source.close?.());
  // The tools' inputs are checked by the dispatcher; here the tests write them.
  const find = (name: string): AgentTool =>
    source.list().tools.find(({ descriptor }) => descriptor.name === name) as unknown as AgentTool;
  return {
    call: async (name, input, options = {}) => {
      try {
        return readOutcome(await find(name).execute(input, createContext(options)));
      } catch (error) {
        return { text: error instanceof Error ? error.message : String(error), isError: true, content: [] };
      }
    },
    keys: (name, input) => find(name).resources?.(input as never) ?? [],
  };
}

export interface Hands {
  call(name: string, input: JsonObject, options?: CallOptions): Promise<Outcome>;
  keys(name: string, input: unknown): readonly ResourceKey[];
}

function createContext({
  signal = new AbortController().signal,
  onProgress = () => undefined,
}: CallOptions): ToolContext {
  return {
    callId: "call-1",
    caller: { kind: "program" },
    signal,
    deadline: Date.now() + 600_000,
    idempotencyKey: "call-1",
    app: undefined,
    progress: onProgress,
    dispatch: () => Promise.reject(new Error("no dispatcher here")),
    secret: () => Promise.reject(new Error("no secrets here")),
  };
}

function readOutcome(raw: unknown): Outcome {
  if (typeof raw === "string") return { text: raw, isError: false, content: [{ type: "text", text: raw }] };
  const { content, isError = false } = raw as { content: readonly JsonObject[]; isError?: boolean };
  return {
    text: content.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("\n"),
    isError,
    content,
  };
}

/** The input of the call that a result's last line tells to make next; undefined if it tells none. */
export function nextCall(text: string): JsonObject | undefined {
  const found = /To go on, call \w+ with (\{.*\})\.\]$/.exec(text);
  return found ? (JSON.parse(found[1] ?? "") as JsonObject) : undefined;
}

/** The lines of a page without their numbers and without the note at the end. */
export function pageLines(text: string): readonly string[] {
  const body = text.replace(/\n\n\[[^\n]*\]$/, "");
  return body.split("\n").map((line) => line.replace(/^\d+→/, ""));
}
