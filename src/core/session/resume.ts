import { describeInterrupted } from "../dispatch/describe-interrupted.ts";
import type { FinishedCall } from "../dispatch/finished-calls.ts";
import type { StartedCall } from "../dispatch/started-call.ts";
import type { ToolCall } from "../tool/call.ts";
import type { Warning } from "../tool/diagnostic.ts";
import type { Message } from "../tool/message.ts";
import type { Outcome, ToolResult } from "../tool/result.ts";
import type { RecordedCall, SessionRecord } from "./session-record.ts";

/** A conversation taken up from its record. */
export interface Resumed {
  /** Each answer's calls are followed by their results; the last answer's may still be open. */
  readonly transcript: readonly Message[];
  /** The last answer's calls, as far as they have to be dispatched before the conversation goes on. */
  readonly open: OpenAnswer | undefined;
  /** What became of calls that the record leaves without an outcome. */
  readonly found: readonly ToolResult[];
}

export interface OpenAnswer {
  /** Calls that were waiting for an approval, or that may run again by a hint that counts. */
  readonly calls: readonly (ToolCall & { readonly id: string })[];
  /** All results of the answer in call order, but for those calls. */
  readonly results: ReadonlyMap<string, ToolResult>;
  readonly ids: readonly string[];
}

/**
 * Takes a session up where its record ends. A call that had started and has no outcome may have run: it is `interrupted`,
 * and dispatched again only where `mayRepeat` says so. One that never started is `cancelled`. One that waited for an
 * approval waits again.
 */
export function resumeSession(record: SessionRecord, mayRepeatTool: (name: string) => boolean): Resumed {
  const unrepeatable = withUnrepeatableInside(record, mayRepeatTool);
  const mayRepeat: MayRepeat = ({ callId, name }) => mayRepeatTool(name) && !unrepeatable.has(callId);
  const transcript: Message[] = [];
  const found = new Map<string, ToolResult>();
  let open: OpenAnswer | undefined;
  for (const [at, message] of record.messages.entries()) {
    transcript.push(message);
    if (message.role !== "assistant") continue;
    const calls = callsOf(message);
    if (calls.length === 0) continue;
    const isLast = at === record.messages.length - 1;
    const again = isLast ? calls.filter(({ id }) => goesOn(record.calls.get(id), mayRepeat)) : [];
    const results = new Map<string, ToolResult>();
    for (const call of calls) if (!again.includes(call)) results.set(call.id, resultOf(call, { record, found }));
    if (again.length > 0) open = { calls: again, results, ids: calls.map(({ id }) => id) };
    else transcript.push(Object.freeze({ role: "tool", results: Object.freeze([...results.values()]) }));
  }
  settleOthers(record, { found, open, mayRepeat });
  return { transcript, open, found: [...found.values()] };
}

type MayRepeat = (call: RecordedCall) => boolean;

/** Calls in which another one ran that may not run twice: repeating the outer one would. */
function withUnrepeatableInside(
  { calls }: SessionRecord,
  mayRepeatTool: (name: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { name, reached, parentCallId } of calls.values()) {
    if (mayRepeatTool(name) || (reached !== "intended" && reached !== "ended")) continue;
    for (let outer = parentCallId; outer !== undefined && !found.has(outer); outer = calls.get(outer)?.parentCallId) {
      found.add(outer);
    }
  }
  return found;
}

interface Settling {
  readonly record: SessionRecord;
  readonly found: Map<string, ToolResult>;
}

function callsOf({ parts }: Extract<Message, { readonly role: "assistant" }>): (ToolCall & { readonly id: string })[] {
  return parts.flatMap((part) => (part.type === "tool-call" && part.providerExecuted !== true ? [part.call] : []));
}

function goesOn(call: RecordedCall | undefined, mayRepeat: MayRepeat): boolean {
  return call?.reached === "asking" || (call?.reached === "intended" && mayRepeat(call));
}

function resultOf(call: ToolCall & { readonly id: string }, { record, found }: Settling): ToolResult {
  const recorded = record.calls.get(call.id);
  const result =
    recorded?.result ??
    lostResult(call.id, { name: recorded?.name ?? call.name, mayHaveRun: mayHaveRun(recorded, record) });
  if (!recorded?.result) found.set(call.id, result);
  const note = record.notes.get(call.id);
  if (note === undefined) return result;
  return Object.freeze({
    ...result,
    content: Object.freeze([...result.content, Object.freeze({ type: "text", text: `[note] ${note}` } as const)]),
  });
}

/** Calls of programs, of nested calls, of loops of one's own: nobody waits for them, and their ids must not run again. */
function settleOthers(
  record: SessionRecord,
  {
    found,
    open,
    mayRepeat,
  }: Pick<Settling, "found"> & {
    readonly open: OpenAnswer | undefined;
    readonly mayRepeat: MayRepeat;
  },
): void {
  const isOpen = new Set(open?.calls.map(({ id }) => id));
  for (const recorded of record.calls.values()) {
    const { callId, name, reached, result } = recorded;
    if (result || found.has(callId) || isOpen.has(callId)) continue;
    // Whoever gives the id again gets it run, under the same idempotency key.
    if (reached === "intended" && mayRepeat(recorded)) continue;
    found.set(callId, lostResult(callId, { name, mayHaveRun: mayHaveRun(recorded, record) }));
  }
}

/** Its start is on record; or the record has gaps, in which it may have been. */
function mayHaveRun(recorded: RecordedCall | undefined, { hasGaps }: SessionRecord): boolean {
  return hasGaps || recorded?.reached === "intended";
}

function lostResult(
  callId: string,
  { name, mayHaveRun: isUnknown }: { readonly name: string; readonly mayHaveRun: boolean },
): ToolResult {
  const outcome: Outcome = isUnknown ? "interrupted" : "cancelled";
  const text = isUnknown ? describeInterrupted(name) : `"${name}" never ran: the process ended before it started.`;
  const content = Object.freeze([Object.freeze({ type: "text", text } as const)]);
  return Object.freeze({ callId, name, outcome, isError: true, content });
}

/**
 * The ids that are used, each with what its call came to; undefined while it is open. An id that may run again under its own
 * key, because no transcript has it, is not among them.
 */
export function* usedIds(
  { calls }: SessionRecord,
  { found, open }: Resumed,
): Iterable<readonly [id: string, finished: FinishedCall | undefined]> {
  for (const [id, { name, given, result }] of calls) if (result) yield [id, { name, input: given, result }];
  for (const result of found) {
    yield [result.callId, { name: result.name, input: calls.get(result.callId)?.given, result }];
  }
  for (const { id } of open?.calls ?? []) yield [id, undefined];
}

/** The calls that had started, have no outcome and may run again. */
export function* startedCalls(
  { calls }: SessionRecord,
  { found }: Resumed,
): Iterable<readonly [id: string, call: StartedCall]> {
  const settled = new Set(found.map(({ callId }) => callId));
  for (const { callId, reached, name, given } of calls.values()) {
    if (reached === "intended" && !settled.has(callId)) yield [callId, { name, input: given }];
  }
}

/** What a person who resumes a session has to know before going on. */
export function describeResumed({ found }: Resumed): readonly Warning[] {
  return found.flatMap(({ callId, name, outcome }) =>
    outcome === "interrupted"
      ? [
          {
            code: "call-interrupted",
            message: `The call ${callId} of "${name}" was interrupted: it had started, and nobody knows how it ended. It is not run again.`,
          },
        ]
      : [],
  );
}
