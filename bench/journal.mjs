import { mkdtempSync, openSync, writeSync, closeSync, rmSync, fdatasyncSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { cpuMicros, median, row } from "./measure.mjs";
import { noopTools, TWO_STRINGS, twoStrings } from "./fixtures.mjs";

/** A record on the disk: what it costs a call, what one disk sync carries, how long a long session takes to come back. */
export async function benchJournal({ createAgentSession, createSessionStore }) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolmap-bench-"));
  try {
    return [
      ...(await journalledCall(folder, { createAgentSession, createSessionStore })),
      ...(await groupCommit(folder, { createAgentSession, createSessionStore })),
      await resume(folder, { createAgentSession, createSessionStore }),
      await lock(folder, { createSessionStore }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Read-only tools have nothing to lose, so their records wait for no disk. */
function readOnlyTools() {
  return noopTools(20, TWO_STRINGS).map((tool) => ({
    ...tool,
    descriptor: { ...tool.descriptor, annotations: { readOnlyHint: true } },
  }));
}

async function journalledCall(folder, { createAgentSession, createSessionStore }) {
  const line = Buffer.from(`${"x".repeat(400)}\n`);
  const file = openSync(path.join(folder, "floor"), "a");
  const floor = await cpuMicros(
    async (count) => {
      for (let at = 0; at < count; at += 1) writeSync(file, line);
    },
    { count: 5000 },
  );
  closeSync(file);
  const store = createSessionStore({ folder: path.join(folder, "calls") });
  const session = await createAgentSession({ tools: readOnlyTools(), ports: store.ports });
  const figure = await cpuMicros(
    async (count) => {
      for (let at = 0; at < count; at += 1) {
        const { outcome } = await session.dispatch({ name: `tool_${at & 15}`, input: twoStrings(at) });
        if (outcome !== "ok") throw new Error(`the bench is broken: ${outcome}`);
      }
    },
    { count: 5000, warmUp: 20 },
  );
  await session.close();
  await store.close();
  return [row("a journalled call without a disk sync", figure, { floor, bar: 12 })];
}

async function groupCommit(folder, { createAgentSession, createSessionStore }) {
  const calls = 640;
  const file = openSync(path.join(folder, "single"), "a");
  const line = Buffer.from(`${"x".repeat(400)}\n`);
  const before = performance.now();
  // Two lines a call, each synced: what a record would cost that shares nothing.
  for (let at = 0; at < calls / 8; at += 1) {
    for (let entry = 0; entry < 2; entry += 1) {
      writeSync(file, line);
      fdatasyncSync(file);
    }
  }
  const single = calls / 8 / ((performance.now() - before) / 1000);
  closeSync(file);
  const store = createSessionStore({ folder: path.join(folder, "group") });
  const session = await createAgentSession({ tools: noopTools(20, TWO_STRINGS), ports: store.ports });
  const rates = [];
  for (let round = 0; round < 5; round += 1) {
    const start = performance.now();
    let next = 0;
    const worker = async () => {
      while (next < calls) {
        const at = next;
        next += 1;
        const { outcome } = await session.dispatch({ name: `tool_${at & 15}`, input: twoStrings(at) });
        if (outcome !== "ok") throw new Error(`the bench is broken: ${outcome}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    rates.push(calls / ((performance.now() - start) / 1000));
  }
  await session.close();
  await store.close();
  const times = median(rates) / single;
  return [
    row("one sync an entry, calls a second", single, { unit: "calls/s" }),
    row("16 calls in flight, calls a second", median(rates), { unit: "calls/s" }),
    row("times as many (at least 5)", times, { unit: "x" }),
  ];
}

async function resume(folder, { createAgentSession, createSessionStore }) {
  const store = createSessionStore({ folder: path.join(folder, "resume") });
  const turns = 2500;
  let turn = 0;
  const model = () => ({
    rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
    async *turn() {
      if (turn < turns) yield { type: "tool-call", call: { id: `c${turn}`, name: "tool_1", input: twoStrings(turn) } };
      else yield { type: "text-delta", text: "done" };
      turn += 1;
      yield { type: "finish", reason: "tool-calls" };
    },
  });
  const tools = readOnlyTools();
  const id = "long";
  const first = await createAgentSession({
    id,
    tools,
    ports: store.ports,
    model: model(),
    limits: { turns: turns + 1 },
  });
  const { stop } = await first.prompt("go");
  if (stop !== "end") throw new Error(`the bench is broken: ${stop}`);
  await first.close();
  const times = [];
  for (let round = 0; round < 9; round += 1) {
    const before = performance.now();
    const session = await createAgentSession({ id, resume: true, tools, ports: store.ports, model: model() });
    times.push(performance.now() - before);
    await session.close();
  }
  await store.close();
  return row("resume of 5,000 messages, wall", median(times), { bar: 100, unit: "ms" });
}

async function lock(folder, { createSessionStore }) {
  const store = createSessionStore({ folder: path.join(folder, "locks") });
  const figure = await cpuMicros(
    async (count) => {
      for (let at = 0; at < count; at += 1) await (await store.ports.lock.open("one")).release();
    },
    { count: 1000 },
  );
  await store.close();
  return row("the lock of a session taken and released", figure, { bar: 60 });
}
