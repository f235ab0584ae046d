// Figures beside floors measured in the same run: CPU microseconds, medians of rounds. Not tests: nothing here fails.
import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { buildToolPlan, createAgentSession, createToolRegistry } from "../dist/index.js";
import { createSessionStore } from "../dist/journal/index.js";
import { benchDispatch } from "./dispatch.mjs";
import { benchJournal } from "./journal.mjs";
import { benchLoop } from "./loop.mjs";
import { benchRegistry } from "./registry.mjs";
import { benchStart } from "./start.mjs";
import { printRows } from "./measure.mjs";

const only = process.argv[2];
const suites = {
  dispatch: benchDispatch,
  loop: benchLoop,
  registry: benchRegistry,
  journal: benchJournal,
  start: benchStart,
};
console.log(`node ${process.version}`);
for (const [name, suite] of Object.entries(suites)) {
  if (only && only !== name) continue;
  printRows(
    name,
    await suite({
      createAgentSession,
      createSessionStore,
      createToolRegistry,
      buildToolPlan,
      execFileSync,
      performance,
    }),
  );
}
