import fc from "fast-check";
import { type AgentTool, createAgentSession, type Message, type Model, type ModelPart } from "toolmap";
import { manualClock } from "toolmap/testing";
import { expect, test } from "vitest";
import { assembleStore } from "../../src/journal/session-store.ts";
import { type SimulatedDisk, simulatedDisk } from "../support/simulated-disk.ts";
import { gate, makeTool, settle } from "../support/tools.ts";
import { transcriptFault } from "../support/transcript-fault.ts";

/*
 * Dispatcher, journal, lease and resume in a world whose clock, disk and faults are chosen by a seed. A process dies at any of
 * its disk operations, with or without the power of the machine, or stands still until another one has taken its session; the
 * next process goes on. A ledger outside of that world counts the effects.
 */

const LEASE = 10_000;

type Kind = "pay" | "put" | "look" | "fail";

interface Plan {
  /** The calls of each answer of the model. */
  readonly turns: readonly (readonly Kind[])[];
  readonly lives: readonly Life[];
  /** Backends that count their calls anew in each answer. */
  readonly reusesIds: boolean;
  readonly seed: number;
}

interface Life {
  readonly end: "kill" | "power" | "stop";
  /** At which of its disk operations it ends. */
  readonly at: number;
  readonly passes: number;
}

const PLAN: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(
    fc.array(fc.constantFrom<Kind>("pay", "pay", "put", "look", "fail"), { minLength: 1, maxLength: 3 }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  lives: fc.array(
    fc.record({
      end: fc.constantFrom<Life["end"]>("kill", "kill", "power", "stop"),
      at: fc.integer({ min: 1, max: 60 }),
      passes: fc.integer({ min: 0, max: 2 * LEASE }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  reusesIds: fc.boolean(),
  seed: fc.integer({ min: 1, max: 2 ** 31 - 1 }),
});

interface Effect {
  readonly argument: string;
  readonly key: string;
  readonly pid: number;
}

interface World {
  readonly plan: Plan;
  readonly clock: ReturnType<typeof manualClock>;
  readonly disk: SimulatedDisk;
  readonly dead: Set<number>;
  readonly ledger: Effect[];
  /** Calls whose result a program had seen while its process was alive. */
  readonly seenOk: Set<string>;
  pid: number;
}

async function play(plan: Plan): Promise<void> {
  let random = plan.seed;
  const world: World = {
    plan,
    clock: manualClock(),
    disk: simulatedDisk({
      now: () => world.clock.now(),
      random: () => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647,
    }),
    dead: new Set(),
    ledger: [],
    seenOk: new Set(),
    pid: 0,
  };
  for (const life of plan.lives) {
    await (life.end === "stop" ? standStill(world, life) : live(world, life));
    if (life.end === "power") world.disk.losePower();
    await world.clock.advance(life.passes);
  }
  const transcript = await live(world, undefined);
  check(world, transcript);
}

/** One process from its start to its end. Gives the transcript of its last request to the model. */
async function live(world: World, life: Life | undefined): Promise<readonly Message[]> {
  const process = startProcess(world, life?.at ?? Number.POSITIVE_INFINITY);
  const session = await process.open().catch((error: unknown) => error);
  if (!(session instanceof Object) || !("prompt" in session)) {
    if (!world.dead.has(process.pid)) throw session;
    return [];
  }
  const run = await (session as Awaited<ReturnType<typeof process.open>>).prompt("go on");
  await settle();
  if (!life) {
    expect(run.stop).toBe("end");
    await (session as Awaited<ReturnType<typeof process.open>>).close();
  }
  world.dead.add(process.pid);
  return process.lastRequest();
}

/** A process that stops in the middle of a call until another one has its session, and then goes on as if nothing was. */
async function standStill(world: World, life: Life): Promise<void> {
  const process = startProcess(world, Number.POSITIVE_INFINITY);
  const stopped = gate();
  let calls = 0;
  process.beforeEffect = async () => {
    calls += 1;
    if (calls === (life.at % 4) + 1) await stopped.opened;
  };
  const session = await process.open();
  const run = session.prompt("go on");
  await settle();
  await world.clock.advance(LEASE);
  const effects = world.ledger.length;
  const next = startProcess(world, Number.POSITIVE_INFINITY);
  const other = await next.open();
  stopped.open();
  await run;
  await settle();
  // What it was in the middle of may still have happened; nothing more may.
  expect(world.ledger.length - effects).toBeLessThanOrEqual(3);
  const started = world.ledger.slice(effects).map(({ argument }) => argument);
  const record = await next.read();
  for (const argument of started) expect(JSON.stringify(record)).toContain(argument);
  await other.close();
  for (const { pid } of [process, next]) world.dead.add(pid);
}

interface SimulatedProcess {
  readonly pid: number;
  beforeEffect: () => Promise<void>;
  open(): ReturnType<typeof createAgentSession>;
  read(): Promise<readonly unknown[]>;
  lastRequest(): readonly Message[];
}

function startProcess(world: World, diesAt: number): SimulatedProcess {
  world.pid += 1;
  const { pid } = world;
  let operations = 0;
  const disk = world.disk.as(() => {
    operations += 1;
    if (operations >= diesAt) world.dead.add(pid);
    if (world.dead.has(pid)) throw new Error("this process is dead");
  });
  const { ports, readSession } = assembleStore(
    { folder: "/s", disk, clock: world.clock, leaseMs: LEASE },
    { pid, isAlive: (other) => !world.dead.has(other), after: () => () => undefined },
  );
  let last: readonly Message[] = [];
  const process: SimulatedProcess = {
    pid,
    beforeEffect: () => Promise.resolve(),
    async open() {
      const hasRecord = (await readSession("s")).entries.length > 0;
      const session = await createAgentSession({
        id: "s",
        resume: hasRecord,
        ports: { ...ports, clock: world.clock },
        tools: tools(world, process),
        model: model(world, (messages) => (last = messages)),
      });
      session.observe((event) => {
        if (event.type !== "tool-call-finished" || world.dead.has(pid) || event.result.outcome !== "ok") return;
        // A session that could not record an outcome has said so.
        if (session.plan().warnings.some(({ code }) => code === "session-degraded")) return;
        world.seenOk.add(event.result.content.map((block) => ("text" in block ? block.text : "")).join());
      });
      return session;
    },
    read: async () => (await readSession("s")).entries,
    lastRequest: () => last,
  };
  return process;
}

function tools({ dead, ledger }: World, process: SimulatedProcess): AgentTool[] {
  const effect =
    (kind: Kind): AgentTool["execute"] =>
    async (input, { idempotencyKey }) => {
      await process.beforeEffect();
      if (dead.has(process.pid)) throw new Error("a dead process does nothing");
      const argument = String(input["argument"]);
      if (kind !== "look") ledger.push({ argument, key: idempotencyKey, pid: process.pid });
      if (kind === "fail") throw new Error(`no: ${argument}`);
      return argument;
    };
  return [
    makeTool("pay", effect("pay")),
    makeTool("fail", effect("fail")),
    makeTool("put", effect("put"), { annotations: { idempotentHint: true } }),
    makeTool("look", effect("look"), { annotations: { readOnlyHint: true } }),
  ];
}

/** Says its answers in their order, as many as the transcript does not hold yet. Every request has to be one that providers take. */
function model({ plan }: World, saw: (messages: readonly Message[]) => void): Model {
  return {
    rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
    async *turn({ messages }): AsyncGenerator<ModelPart> {
      saw([...messages]);
      expect(transcriptFault(messages)).toBeUndefined();
      const said = messages.filter(
        (message) => message.role === "assistant" && message.parts.some(({ type }) => type === "tool-call"),
      ).length;
      const calls = plan.turns[said] ?? [];
      for (const [at, name] of calls.entries()) {
        const id = plan.reusesIds ? `call_${at}` : `t${said}c${at}`;
        yield { type: "tool-call", call: { id, name, input: { argument: `${name}-${said}-${at}` } } };
      }
      if (calls.length === 0) yield { type: "text-delta", text: "done" };
      yield { type: "finish", reason: calls.length > 0 ? "tool-calls" : "stop" };
    },
  };
}

function check({ plan, ledger, seenOk }: World, transcript: readonly Message[]): void {
  expect(transcriptFault(transcript)).toBeUndefined();
  const outcomes = new Map<string, string>();
  for (const [at, message] of transcript.entries()) {
    const next = transcript[at + 1];
    if (message.role !== "assistant" || next?.role !== "tool") continue;
    const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.call] : []));
    for (const [place, { input }] of calls.entries()) {
      const { argument } = input as { argument: string };
      outcomes.set(argument, next.results[place]?.outcome ?? "none");
    }
  }
  expect(outcomes.size).toBe(plan.turns.flat().length);
  for (const [argument, outcome] of outcomes) {
    const effects = ledger.filter((effect) => effect.argument === argument);
    const [kind] = argument.split("-");
    // Nothing is repeated but what says that it may be, and that under its one key.
    if (kind === "pay" || kind === "fail") expect(effects.length).toBeLessThanOrEqual(1);
    expect(new Set(effects.map(({ key }) => key)).size).toBeLessThanOrEqual(1);
    // Nothing is hidden, and nothing is made up.
    if (effects.length > 0) expect(outcome).toMatch(/^(ok|error|interrupted)$/);
    else if (kind !== "look") expect(outcome).toMatch(/^(cancelled|error|interrupted)$/);
    // Nothing is lost that somebody had been told.
    if (seenOk.has(argument) && kind !== "look") expect(outcome).toBe("ok");
  }
}

const RUNS = process.env["TOOLMAP_LONG"] === "1" ? 20_000 : 600;

test(
  "SES-01 TRN-01 whatever process dies, stands still or loses its power: nothing repeated, lost, hidden or refused by a provider",
  { timeout: 600_000 },
  async () => {
    await fc.assert(fc.asyncProperty(PLAN, play), { numRuns: RUNS });
  },
);
