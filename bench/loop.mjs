import { cpuMicros, row } from "./measure.mjs";
import { FIFTEEN_FIELDS, fifteenFields, HOOKS, noopTools, TWO_STRINGS, twoStrings } from "./fixtures.mjs";

const RULES = { resultsRightAfterCalls: true, imageTypes: [], emptyText: false };

/** A model that calls tools for `turns` turns and then is done. */
function callingModel(turns, callsOf) {
  let turn = 0;
  return {
    rules: RULES,
    async *turn() {
      if (turn < turns) for (const call of callsOf(turn)) yield { type: "tool-call", call };
      else yield { type: "text-delta", text: "done" };
      turn += 1;
      yield { type: "finish", reason: turn <= turns ? "tool-calls" : "stop" };
    },
  };
}

export async function benchLoop({ createAgentSession }) {
  const rows = [];
  const batch = async (schema, make, hooks) => {
    const calls = Array.from({ length: 200 }, (_, at) => ({ name: `tool_${at % 16}`, input: make(at) }));
    const tools = noopTools(20, schema);
    return cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += 200) {
          const session = await createAgentSession({
            tools,
            hooks,
            model: callingModel(1, () => calls.map((call, at) => ({ ...call, id: `c${at}` }))),
          });
          const { stop, results } = await session.prompt("go");
          if (stop !== "end" || results.some(({ outcome }) => outcome !== "ok"))
            throw new Error(`the bench is broken: ${stop}`);
        }
      },
      { count: 4000, rounds: 15, warmUp: 100 },
    );
  };
  rows.push(row("200 calls in one turn, two strings, no hooks", await batch(TWO_STRINGS, twoStrings, []), { bar: 2 }));
  rows.push(
    row("200 calls in one turn, 15 fields, hooks", await batch(FIFTEEN_FIELDS, fifteenFields, HOOKS), { bar: 6 }),
  );

  const tools = noopTools(20);
  const longLoop = (turns) =>
    cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += turns) {
          const session = await createAgentSession({
            tools,
            limits: { turns: turns + 1 },
            model: callingModel(turns, (turn) => [{ id: `c${turn}`, name: "tool_3", input: twoStrings(turn) }]),
          });
          const { stop } = await session.prompt("go");
          if (stop !== "end") throw new Error(`the bench is broken: ${stop}`);
        }
      },
      { count: turns, rounds: 9, warmUp: Math.ceil(100_000 / turns) },
    );
  const thousand = await longLoop(1000);
  rows.push(row("a loop of 1,000 turns, per call", thousand, { bar: 8 }));
  rows.push(
    row("a loop of 5,000 turns, per call", await longLoop(5000), {
      floor: thousand,
      bar: Number((thousand * 1.2).toFixed(2)),
    }),
  );

  const turnOf = async (toolCount) => {
    const session = await createAgentSession({ tools: noopTools(toolCount) });
    return cpuMicros(
      async (count) => {
        for (let at = 0; at < count; at += 1) {
          const turn = session.beginTurn();
          if (turn.tools.length !== toolCount) throw new Error("the bench is broken");
          await turn.dispatch([{ name: "tool_3", input: twoStrings(at) }]);
        }
      },
      { count: 5000, warmUp: 20 },
    );
  };
  const few = await turnOf(10);
  rows.push(row("a turn of one call with 10 tools", few));
  rows.push(
    row("a turn of one call with 1,000 tools", await turnOf(1000), { floor: few, bar: Number((few + 3).toFixed(2)) }),
  );
  return rows;
}
