import fc from "fast-check";
import {
  type AgentSession,
  type AgentTool,
  createAgentSession,
  type JsonObject,
  type Message,
  type Model,
  type ModelPart,
  type ToolResult,
} from "toolmap";
import { type ManualClock, manualClock } from "toolmap/testing";
import { expect, test } from "vitest";
import type { JournalPort } from "../../src/core/dispatch/ports.ts";
import { makeTool, settle, textOf } from "../support/tools.ts";
import { transcriptFault } from "../support/transcript-fault.ts";

/*
 * One process says a whole conversation. It is then made to have died at every number of entries that its record came to have,
 * as late as it could have with that record; the next process takes the record up, dies as well, and a third one ends the
 * conversation. A ledger outside of them counts the effects.
 */

/** What a tool does, and whether it says that it may run again. */
const KINDS = {
  pay: { mayRepeat: false, annotations: {} },
  fail: { mayRepeat: false, annotations: {} },
  wipe: { mayRepeat: false, annotations: { destructiveHint: true } },
  asked: { mayRepeat: false, annotations: {} },
  denied: { mayRepeat: false, annotations: {} },
  late: { mayRepeat: false, annotations: {} },
  nest: { mayRepeat: false, annotations: {} },
  // Marked as both, it counts as neither.
  odd: { mayRepeat: false, annotations: { readOnlyHint: true, destructiveHint: true } },
  put: { mayRepeat: true, annotations: { idempotentHint: true } },
  look: { mayRepeat: true, annotations: { readOnlyHint: true } },
} as const;

type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as Kind[]; // its own keys, as written above

interface PlannedCall {
  readonly kind: Kind;
  /** What the approver says, should it be asked. */
  readonly answer: "approved" | "rejected";
  /** The first process waits for its approver for ever. */
  readonly isUnanswered: boolean;
}

interface Plan {
  /** The calls of each answer of the model. */
  readonly turns: readonly (readonly PlannedCall[])[];
  /** Backends name calls uniquely, count them anew in each answer, or name none. */
  readonly ids: "unique" | "reused" | "none";
  readonly hasText: boolean;
  /** Where in its own part of the record the second process dies, from 0 to 1. */
  readonly secondDeath: number;
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(
    fc.array(
      fc.record({
        kind: fc.constantFrom(...NAMES),
        answer: fc.constantFrom("approved" as const, "approved" as const, "rejected" as const),
        isUnanswered: fc.boolean(),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    { minLength: 1, maxLength: 3 },
  ),
  ids: fc.constantFrom("unique", "reused", "none"),
  hasText: fc.boolean(),
  secondDeath: fc.double({ min: 0, max: 1, noNaN: true }),
});

interface Effect {
  readonly argument: string;
  readonly key: string;
  /** How many entries the record had when it happened. */
  readonly at: number;
}

/** A process and what is left of it. */
interface Life {
  readonly entries: readonly JsonObject[];
  readonly effects: readonly Effect[];
  readonly requests: readonly (readonly Message[])[];
}

/** Takes a record up, or begins it, and goes on until the conversation ends or waits for ever. */
async function live(
  plan: Plan,
  found: Pick<Life, "entries" | "effects">,
  before: (session: AgentSession) => Promise<void> = () => Promise.resolve(),
): Promise<Life> {
  const clock = manualClock();
  const isFirst = found.entries === NOTHING;
  const entries = [...found.entries];
  const effects = [...found.effects];
  const requests: (readonly Message[])[] = [];
  const session = await createAgentSession({
    id: "s",
    resume: entries.length > 0,
    ports: { journal: journalOf(entries), clock },
    tools: toolsOf(clock, (effect) => effects.push({ ...effect, at: entries.length })),
    policy: [{ name: "careful", ask: ["asked"], deny: ["denied"] }],
    approver: {
      ask: async ({ input }) => {
        const { answer, isUnanswered } = plannedCall(plan, String(input["argument"]));
        return isFirst && isUnanswered ? new Promise<never>(() => undefined) : { answer };
      },
    },
    model: modelOf(plan, requests),
  });
  await before(session);
  const ended: string[] = [];
  void session.prompt("go on").then(({ stop }) => ended.push(stop));
  for (let round = 0; round < 4 * plan.turns.length + 4 && ended.length === 0; round += 1) await clock.advance(LATE_MS);
  if (!isFirst || ended.length > 0) expect(ended).toEqual(["end"]);
  await clock.advance(LATE_MS);
  return { entries, effects, requests };
}

const NOTHING: readonly JsonObject[] = [];

function journalOf(entries: JsonObject[]): JournalPort {
  return {
    append: async (entry) => void entries.push(JSON.parse(JSON.stringify(entry)) as JsonObject), // the text of an object
    read: async () => [...entries],
  };
}

const LATE_MS = 10;

function toolsOf(clock: ManualClock, happened: (effect: Omit<Effect, "at">) => void): AgentTool[] {
  const execute =
    (kind: Kind | "inner"): AgentTool["execute"] =>
    async (input, { idempotencyKey, dispatch }) => {
      const argument = String(input["argument"]);
      if (kind !== "look") happened({ argument, key: idempotencyKey });
      // So that records are cut while it runs, too.
      await Promise.resolve();
      if (kind === "fail") throw new Error(`no: ${argument}`);
      if (kind === "late") await new Promise<void>((resolve) => void clock.after(3 * LATE_MS, resolve));
      if (kind !== "nest") return argument;
      const inner = await dispatch({ id: `in ${argument}`, name: "inner", input: { argument: `${argument} inner` } });
      const look = await dispatch({ name: "look", input: { argument: `${argument} look` } });
      return `${argument}: ${textOf(inner)}, ${textOf(look)}`;
    };
  return [
    ...NAMES.map((kind) =>
      makeTool(kind, execute(kind), {
        annotations: KINDS[kind].annotations,
        ...(kind === "late" ? { rest: { timeoutMs: LATE_MS } } : {}),
      }),
    ),
    makeTool("inner", execute("inner")),
  ];
}

const argumentOf = (kind: Kind, turn: number, place: number): string => `${kind}-${turn}-${place}`;

function plannedCall({ turns }: Plan, argument: string): PlannedCall {
  const [, turn, place] = argument.split("-");
  const call = turns[Number(turn)]?.[Number(place)];
  if (!call) throw new Error(`nothing planned for ${argument}`);
  return call;
}

/** Says its answers in their order, as many as the transcript does not hold yet. */
function modelOf({ turns, ids, hasText }: Plan, requests: (readonly Message[])[]): Model {
  return {
    rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
    async *turn({ messages }): AsyncGenerator<ModelPart> {
      requests.push([...messages]);
      const turn = messages.filter((message) => callsOf(message).length > 0).length;
      const calls = turns[turn] ?? [];
      if (hasText || calls.length === 0) yield { type: "text-delta", text: `answer ${turn}` };
      for (const [place, { kind }] of calls.entries()) {
        const id = ids === "none" ? {} : { id: ids === "reused" ? `call_${place}` : `t${turn}c${place}` };
        yield {
          type: "tool-call",
          call: { ...id, name: kind, input: { argument: argumentOf(kind, turn, place) } },
        };
      }
    },
  };
}

function callsOf(message: Message): readonly { readonly id: string; readonly argument: string }[] {
  if (message.role !== "assistant") return [];
  return message.parts.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.call.id, argument: (part.call.input as { argument: string }).argument }]
      : [],
  );
}

/** The results of a transcript by what their calls were about, each with the call's id. */
function resultsIn(messages: readonly Message[]): ReadonlyMap<string, ToolResult> {
  const results = new Map<string, ToolResult>();
  for (const [at, message] of messages.entries()) {
    const next = messages[at + 1];
    for (const [place, { argument }] of callsOf(message).entries()) {
      const result = next?.role === "tool" ? next.results[place] : undefined;
      expect(results.has(argument)).toBe(false);
      if (result) results.set(argument, result);
    }
  }
  return results;
}

/** What is left of a life that ends with its record at `length` entries: all that may have happened up to then did. */
function dieAt(life: Life, length: number): Pick<Life, "entries" | "effects"> {
  return { entries: life.entries.slice(0, length), effects: life.effects.filter(({ at }) => at <= length) };
}

function check(plan: Plan, lives: readonly Life[]): void {
  for (const { requests } of lives) for (const messages of requests) expect(transcriptFault(messages)).toBeUndefined();
  const last = lives.at(-1);
  const transcript = last?.requests.at(-1) ?? [];
  const results = resultsIn(transcript);
  expect([...results.keys()]).toEqual(
    plan.turns.flatMap((calls, turn) => calls.map(({ kind }, place) => argumentOf(kind, turn, place))),
  );
  for (const [argument, result] of results) checkCall(argument, result, last?.effects ?? []);
  checkInner(last?.effects ?? []);
}

function checkCall(argument: string, { outcome, callId, content }: ToolResult, all: readonly Effect[]): void {
  const effects = all.filter((effect) => effect.argument === argument);
  const kind = argument.split("-")[0] as Kind; // it was made of one
  for (const { key } of effects) expect(key).toBe(`s:${callId}`);
  if (!KINDS[kind].mayRepeat) expect(effects.length).toBeLessThanOrEqual(1);
  if (kind === "look") return expect(outcome).toMatch(/^(ok|cancelled)$/);
  // Nothing is hidden …
  if (effects.length > 0) expect(outcome).toMatch(/^(ok|error|timed-out|interrupted)$/);
  // … and nothing is made up, but that a call which is about to run may have run.
  else expect(outcome).toMatch(/^(cancelled|rejected|denied|interrupted)$/);
  if (outcome === "interrupted") expect(textOf({ content })).toContain("may have");
  if (outcome === "denied") expect(kind).toBe("denied");
}

function checkInner(all: readonly Effect[]): void {
  const inner = all.filter(({ argument }) => argument.endsWith(" inner"));
  expect(new Set(inner.map(({ argument }) => argument)).size).toBe(inner.length);
}

/** What the record knew when its process died is what the next one says. */
function checkKept({ entries }: Pick<Life, "entries">, next: Life): void {
  const said = new Map([...resultsIn(next.requests[0] ?? []).values()].map((result) => [result.callId, result]));
  const asked = new Set((next.requests[0] ?? []).flatMap(callsOf).map(({ id }) => id));
  for (const { type, callId, outcome, content } of entries) {
    if (type !== "outcome" || !asked.has(String(callId))) continue;
    expect(said.get(String(callId))).toMatchObject({ outcome, content: content as object });
  }
  // Nobody had answered: so it is asked again, and ends as a call ends that was asked for.
  const reached = new Map(entries.map(({ type, callId }) => [callId, type]));
  for (const id of asked) {
    const last = reached.get(id);
    if (last === "approval-requested" || last === "approval-joined")
      expect(said.get(id)?.outcome).not.toBe("cancelled");
  }
}

/** A process after the last one finds the same transcript on record, and ids that have ended stay ended. */
async function checkRecord({ requests, effects, entries }: Life): Promise<void> {
  const transcript = requests.at(-1) ?? [];
  const after = await live(NOTHING_PLANNED, { entries, effects }, async (session) => {
    for (const [argument, { callId, name, outcome, content }] of resultsIn(transcript)) {
      if (outcome !== "ok") continue;
      const again = await session.dispatch({ id: callId, name, input: { argument } }, { once: true });
      expect(again).toMatchObject({ callId, outcome, content });
    }
  });
  expect(after.effects).toHaveLength(effects.length);
  expect(plain(after.requests[0]?.slice(0, transcript.length))).toEqual(plain(transcript));
}

const NOTHING_PLANNED: Plan = { turns: [], ids: "unique", hasText: true, secondDeath: 0 };

/** Without what never reaches a model. */
function plain(messages: readonly Message[] | undefined): readonly unknown[] {
  return (messages ?? []).map((message) =>
    message.role === "tool"
      ? message.results.map(({ callId, name, outcome, content }) => ({ callId, name, outcome, content }))
      : message,
  );
}

async function play(plan: Plan): Promise<void> {
  const first = await live(plan, { entries: NOTHING, effects: [] });
  for (let length = 0; length <= first.entries.length; length += 1) {
    const found = dieAt(first, length);
    const second = await live(plan, found);
    checkKept(found, second);
    const written = second.entries.length - length;
    const left = dieAt(second, length + Math.floor(plan.secondDeath * written));
    const third = await live(plan, left);
    await checkRecord(third);
    checkKept(left, third);
    check(plan, [first, second]);
    check(plan, [third]);
  }
  await settle();
}

const RUNS = process.env["TOOLMAP_LONG"] === "1" ? 2000 : 40;

test(
  "SES-01 TRN-01 TRN-05 wherever a record ends: what follows loses no outcome, repeats no effect, hides none, and is taken by every provider",
  { timeout: 600_000 },
  async () => {
    await fc.assert(fc.asyncProperty(PLAN, play), { numRuns: RUNS });
  },
);
