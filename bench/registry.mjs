import { cpuMicros, row } from "./measure.mjs";
import { noopTools } from "./fixtures.mjs";

export async function benchRegistry({ createAgentSession, buildToolPlan }) {
  const rows = [];
  for (const [size, refreshBar, planBar] of [
    [1000, 350, 300],
    [10_000, 8000, 5000],
  ]) {
    const tools = noopTools(size - 1);
    const extra = [0, 1].map((at) => ({
      ...noopTools(1)[0],
      descriptor: { ...noopTools(1)[0].descriptor, name: `extra_${at}` },
    }));
    // Two snapshots that take turns, so that every refresh has something to do.
    const snapshots = extra.map((tool) => ({ state: "ready", tools: [...tools, tool] }));
    let at = 0;
    const source = { id: "many", kind: "custom", list: () => snapshots[at & 1], subscribe: () => () => undefined };
    const session = await createAgentSession({ sources: [source] });
    const refresh = await cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += 1) {
          at += 1;
          if (session.refreshToolRegistry().tools.size !== size) throw new Error("the bench is broken");
        }
      },
      { count: size === 1000 ? 100 : 20 },
    );
    let builtMap;
    const floor = await cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += 1)
          builtMap = new Map(snapshots[done & 1].tools.map((tool) => [tool.descriptor.name, tool]));
      },
      { count: size === 1000 ? 100 : 20 },
    );
    if (builtMap.size !== size) throw new Error("the bench is broken");
    rows.push(row(`refreshToolRegistry, ${size} tools`, refresh, { floor, bar: refreshBar }));
    const descriptors = [...session.refreshToolRegistry().tools.values()].map(({ descriptor }) => descriptor);
    const plan = await cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += 1) buildToolPlan({ descriptors, mode: "session" });
      },
      { count: size === 1000 ? 100 : 20 },
    );
    const sortFloor = await cpuMicros(
      async (count) => {
        for (let done = 0; done < count; done += 1) [...descriptors].sort((a, b) => (a.name < b.name ? -1 : 1));
      },
      { count: size === 1000 ? 100 : 20 },
    );
    rows.push(row(`buildToolPlan, ${size} tools`, plan, { floor: sortFloor, bar: planBar }));
  }
  return rows;
}
