import { callHook, type HookAnswer } from "../hooks/call-hook.ts";
import type { Hook } from "../hooks/hook.ts";
import { isPromiseLike, isRecord, type JsonValue } from "../json.ts";
import type { Content } from "../tool/content.ts";
import { copyOutput, readContent } from "../tool/read-content.ts";
import type { ToolResult } from "../tool/result.ts";
import { hookEvent } from "./before-hooks.ts";
import type { CallRun } from "./call-run.ts";
import { frozenContent } from "./finish.ts";
import { NO_OUTPUT } from "./normalise-output.ts";

/** Runs the after-hooks in registration order, when the execute step produced something. One that fails changes nothing. */
export function afterHooks(run: CallRun): void | Promise<void> {
  if (!run.raw) return undefined;
  const hooks = run.services.hooks.of(run.found.descriptor).after;
  return hooks.length === 0 ? undefined : runFrom(run, hooks, 0);
}

function runFrom(run: CallRun, hooks: readonly Hook[], from: number): void | Promise<void> {
  for (let index = from; index < hooks.length; index += 1) {
    const hook = hooks[index];
    if (hook === undefined || run.cancelReason !== undefined) return undefined;
    const { call, tool, input, caller } = hookEvent(run);
    const event = Object.freeze({ call, tool, input, caller, result: draftOf(run) });
    const answer = callHook(run, hook, event);
    if (isPromiseLike(answer)) {
      return answer.then((late) => {
        applyAnswer(run, hook, late);
        return runFrom(run, hooks, index + 1);
      });
    }
    applyAnswer(run, hook, answer);
  }
  return undefined;
}

/** The result as it stands, for the hook to read. */
function draftOf(run: CallRun): ToolResult {
  const { outcome = "error", callId, name, structuredContent } = run;
  const isError = outcome !== "ok";
  const content = frozenContent(run);
  if (structuredContent === undefined) return Object.freeze({ callId, name, outcome, isError, content });
  return Object.freeze({ callId, name, outcome, isError, content, structuredContent });
}

function applyAnswer(run: CallRun, hook: Hook, answer: HookAnswer): void {
  if (answer.kind === "failed") run.note(`${answer.message}; the result is the tool's own`);
  if (answer.kind === "returned" && answer.value !== undefined) applyChange(run, hook, answer.value);
}

function applyChange(run: CallRun, hook: Hook, returned: unknown): void {
  const change = readChange(returned);
  if (!change) {
    run.note(
      `hook "${hook.name}" failed (nonsense): it must return nothing or any of { content, structuredContent, isError: true }; the result is the tool's own`,
    );
    return;
  }
  const { content, structuredContent, isError } = change;
  if (content) run.content = content.length > 0 ? content : [{ type: "text", text: NO_OUTPUT }];
  if (structuredContent !== undefined) run.structuredContent = structuredContent;
  if (isError && run.outcome === "ok") run.outcome = "error";
}

interface Change {
  readonly content: readonly Content[] | undefined;
  readonly structuredContent: JsonValue | undefined;
  readonly isError: boolean;
}

/** What a hook wants changed, as copies of our own. Undefined for anything else, and for what cannot be read. */
function readChange(value: unknown): Change | undefined {
  try {
    if (!isRecord(value) || !Object.keys(value).every((key) => MEMBERS.has(key))) return undefined;
    const { content, structuredContent, isError } = value;
    if (content !== undefined && !Array.isArray(content)) return undefined;
    if (isError !== undefined && isError !== true) return undefined;
    return {
      content: content?.map(readContent),
      structuredContent: structuredContent === undefined ? undefined : copyOutput(structuredContent),
      isError: isError === true,
    };
  } catch {
    return undefined;
  }
}

const MEMBERS: ReadonlySet<string> = new Set(["content", "structuredContent", "isError"]);
