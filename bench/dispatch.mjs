import { cpuMicros, row } from "./measure.mjs";
import { FIFTEEN_FIELDS, fifteenFields, HOOKS, noopTools, POLICY, TWO_STRINGS, twoStrings } from "./fixtures.mjs";

/** One dispatch with one hook pair, policy and every guarantee on, no journal, no observer. */
export async function benchDispatch({ createAgentSession }) {
  const rows = [];
  const cases = [
    ["two strings", TWO_STRINGS, twoStrings, 1.8, 2],
    ["15 fields", FIFTEEN_FIELDS, fifteenFields, 4, 6.5],
  ];
  for (const [label, schema, make, objectBar, textBar] of cases) {
    const tools = noopTools(20, schema);
    const session = await createAgentSession({ tools, policy: POLICY, hooks: HOOKS });
    const inputs = Array.from({ length: 256 }, (_, at) => make(at));
    const texts = inputs.map((input) => JSON.stringify(input));
    const names = Array.from({ length: 16 }, (_, at) => `tool_${at}`);
    const check = await session.dispatch({ name: "tool_0", input: inputs[0] });
    if (check.outcome !== "ok") throw new Error(`the bench is broken: ${JSON.stringify(check)}`);
    const floor = await cpuMicros(
      async (count) => {
        for (let at = 0; at < count; at += 1) await tools[at & 15].execute(inputs[at & 255]);
      },
      { count: 20_000 },
    );
    const asObject = await cpuMicros(
      async (count) => {
        for (let at = 0; at < count; at += 1) await session.dispatch({ name: names[at & 15], input: inputs[at & 255] });
      },
      { count: 20_000 },
    );
    const textFloor = await cpuMicros(
      async (count) => {
        for (let at = 0; at < count; at += 1) await tools[at & 15].execute(JSON.parse(texts[at & 255]));
      },
      { count: 20_000 },
    );
    const asText = await cpuMicros(
      async (count) => {
        for (let at = 0; at < count; at += 1) await session.dispatch({ name: names[at & 15], input: texts[at & 255] });
      },
      { count: 20_000 },
    );
    rows.push(row(`one dispatch, ${label}, as an object`, asObject, { floor, bar: objectBar }));
    rows.push(row(`one dispatch, ${label}, as JSON text`, asText, { floor: textFloor, bar: textBar }));
    await session.close();
  }
  return rows;
}
