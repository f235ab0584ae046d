import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { createAgentSession, type Message } from "toolmap";
import { createSessionStore } from "toolmap/journal";
import { expect, test } from "vitest";
import { transcriptFault } from "../support/transcript-fault.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * A conversation without end: each answer has three calls, one of which pays, into a ledger that only grows. Says on stdout, at
 * once and by itself, what each call came to.
 */
const BUSY = `
import { appendFileSync, writeSync } from "node:fs";
import { createAgentSession, createSessionStore } from "./toolmap.mjs";
const [folder, ledger, id, pauseMs] = process.argv.slice(2);
const store = createSessionStore({ folder });
const tool = (name, annotations) => ({
  descriptor: {
    name,
    description: name,
    inputSchema: { type: "object", properties: { argument: { type: "string" } } },
    owner: { kind: "custom" },
    executor: { kind: "custom", toolName: name },
    annotations,
  },
  execute: async ({ argument }, { idempotencyKey }) => {
    if (name !== "look") appendFileSync(ledger, argument + " " + idempotencyKey + "\\n");
    if (Number(pauseMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
    return argument;
  },
});
const { entries } = await store.readSession(id);
const session = await createAgentSession({
  id,
  resume: entries.length > 0,
  ports: store.ports,
  limits: { turns: 1_000_000 },
  tools: [tool("pay"), tool("put", { idempotentHint: true }), tool("look", { readOnlyHint: true })],
  model: {
    rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
    async *turn({ messages }) {
      const said = messages.filter(({ role }) => role === "assistant").length;
      for (const [at, name] of ["pay", "put", "look"].entries()) {
        yield { type: "tool-call", call: { id: "call_" + at, name, input: { argument: name + "-" + said } } };
      }
      yield { type: "finish", reason: "tool-calls" };
    },
  },
});
session.observe((event) => {
  if (event.type === "tool-call-finished") writeSync(1, event.result.outcome + " " + event.result.content[0].text + "\\n");
});
writeSync(1, "ready\\n");
await session.prompt("go on");
`;

async function buildProgram(): Promise<string> {
  const build = temporaryFolder();
  const entry = path.join(build, "entry.ts");
  const source = (file: string): string => JSON.stringify(path.resolve("src", file));
  writeFileSync(
    entry,
    `export { createAgentSession } from ${source("core/session/create-agent-session.ts")};\nexport { createSessionStore } from ${source("journal/session-store.ts")};\n`,
  );
  const bundle = await rolldown({ input: entry, platform: "node", logLevel: "silent", cwd: process.cwd() });
  await bundle.write({ file: path.join(build, "toolmap.mjs"), format: "esm", codeSplitting: false });
  const program = path.join(build, "busy.mjs");
  writeFileSync(program, BUSY);
  return program;
}

/** Runs it, kills it a random time after it is ready, and gives what it had said. */
async function runAndKill(program: string, args: readonly string[], afterMs: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  let isCounting = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (isCounting || !said.startsWith("ready")) return;
    isCounting = true;
    setTimeout(() => child.kill("SIGKILL"), afterMs);
  });
  await once(child, "close");
  expect(child.signalCode).toBe("SIGKILL");
  return said.trim().split("\n").slice(1);
}

/** The transcript as the next model would get it. */
async function transcriptOf(folder: string, id: string): Promise<readonly Message[]> {
  let messages: readonly Message[] = [];
  const store = createSessionStore({ folder });
  const session = await createAgentSession({
    id,
    resume: true,
    ports: store.ports,
    model: {
      rules: { resultsRightAfterCalls: true, imageTypes: [], emptyText: false },
      async *turn(request) {
        messages = [...request.messages];
        yield { type: "text-delta", text: "done" };
        yield { type: "finish", reason: "stop" };
      },
    },
  });
  await session.prompt("and?");
  await session.close();
  await store.close();
  return messages;
}

const KILLS = process.env["TOOLMAP_LONG"] === "1" ? 1000 : 12;
const KILLS_A_SESSION = 25;

test(
  `SES-01 TRN-01 a busy session that is killed ${KILLS} times loses no outcome, repeats no effect and stays one that providers take`,
  { timeout: 900_000 },
  async () => {
    const program = await buildProgram();
    const folder = temporaryFolder();
    let interrupted = 0;
    for (let done = 0; done < KILLS; done += KILLS_A_SESSION) {
      const id = `busy-${done}`;
      const ledger = path.join(folder, `ledger-${done}`);
      writeFileSync(ledger, "");
      const seen = new Map<string, string>();
      for (let kill = 0; kill < Math.min(KILLS_A_SESSION, KILLS - done); kill += 1) {
        const pauseMs = String(kill % 3);
        for (const line of await runAndKill(
          program,
          [path.join(folder, "sessions"), ledger, id, pauseMs],
          Math.random() * 40,
        )) {
          const [outcome = "", argument = ""] = line.split(" ");
          if (outcome === "ok") seen.set(argument, outcome);
        }
      }
      const transcript = await transcriptOf(path.join(folder, "sessions"), id);
      expect(transcriptFault(transcript)).toBeUndefined();
      const outcomes = outcomesIn(transcript);
      const effects = readFileSync(ledger, "utf8").trim().split("\n");
      const paid = effects.flatMap((line) => (line.startsWith("pay-") ? [line.split(" ")[0] ?? ""] : []));
      // No effect is repeated, and each under the one key of its call.
      expect(paid.length).toBe(new Set(paid).size);
      const keys = new Map<string, string>();
      for (const line of effects.filter((each) => each !== "")) {
        const [argument = "", key = ""] = line.split(" ");
        expect(keys.get(argument) ?? key).toBe(key);
        keys.set(argument, key);
      }
      // No outcome that somebody was told is lost, and no effect is hidden.
      for (const argument of seen.keys()) {
        if (!argument.startsWith("look")) expect(`${argument} ${outcomes.get(argument)}`).toBe(`${argument} ok`);
      }
      for (const argument of paid) expect(["ok", "interrupted"]).toContain(outcomes.get(argument));
      interrupted += [...outcomes.values()].filter((outcome) => outcome === "interrupted").length;
      expect(await createSessionStore({ folder: path.join(folder, "sessions") }).verify(id)).toMatchObject({
        isIntact: true,
      });
    }
    // Else the kills had missed what they are for.
    if (KILLS >= 100) expect(interrupted).toBeGreaterThan(0);
  },
);

function outcomesIn(transcript: readonly Message[]): ReadonlyMap<string, string> {
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
  return outcomes;
}
