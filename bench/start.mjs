import { median, row } from "./measure.mjs";

const FIRST_CALL = `
import { createAgentSession } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
const tool = { descriptor: { name: "t", description: "", inputSchema: { type: "object", properties: { a: { type: "string" } } }, owner: { kind: "custom" }, executor: { kind: "custom", toolName: "t" } }, execute: async () => "ok" };
const session = await createAgentSession({ tools: [tool] });
const { outcome } = await session.dispatch({ name: "t", input: { a: "x" } });
if (outcome !== "ok") throw new Error(outcome);
`;
const REPORT_RSS = `process.stderr.write(String(process.resourceUsage().maxRSS));`;

/** New processes: wall milliseconds and megabytes at the most. */
export async function benchStart({ execFileSync, performance }) {
  const time = (args) => {
    const walls = [];
    for (let round = 0; round < 15; round += 1) {
      const before = performance.now();
      execFileSync(process.execPath, args, { stdio: ["ignore", "ignore", "ignore"] });
      walls.push(performance.now() - before);
    }
    return median(walls);
  };
  const { spawnSync } = await import("node:child_process");
  const memory = (code) => {
    const sizes = [];
    for (let round = 0; round < 9; round += 1) {
      const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", `${code}\n${REPORT_RSS}`], {
        encoding: "utf8",
      });
      sizes.push(Number(stderr.trim().split("\n").at(-1)) / 1024);
    }
    return median(sizes);
  };
  const bare = time(["--input-type=module", "-e", ""]);
  const bareMb = memory("");
  const cli = new URL("../bin/toolmap.js", import.meta.url).pathname;
  return [
    row("import and one checked call, wall", time(["--input-type=module", "-e", FIRST_CALL]), {
      floor: bare,
      bar: Number((bare + 33).toFixed(1)),
      unit: "ms",
    }),
    row("import and one checked call, memory", memory(FIRST_CALL), {
      floor: bareMb,
      bar: Number((bareMb + 14).toFixed(1)),
      unit: "MB",
    }),
    row("toolmap tools, wall", time([cli, "tools"]), { floor: bare, bar: Number((bare + 90).toFixed(1)), unit: "ms" }),
  ];
}
