import { expect, test } from "vitest";

/** The run-time names of each door. Adding one is a decision: it is semver from the first release. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  toolmap: [
    "ToolPlanContractError",
    "ToolmapError",
    "buildToolPlan",
    "checkTranscript",
    "createAgentSession",
    "createToolRegistry",
    "defineTool",
    "evaluateToolAvailability",
    "formatOrigin",
    "formatToolExecutorRef",
    "repairTranscript",
    "toToolProtocolDescriptor",
  ],
  "toolmap/builtin": ["builtinTools"],
  "toolmap/journal": ["createSessionStore"],
  "toolmap/providers": ["anthropic"],
  "toolmap/testing": ["manualClock", "memoryPorts", "scriptedModel"],
};

test.each(Object.entries(DOORS))("the door %s exports exactly these names", async (door, names) => {
  const module = (await import(/* @vite-ignore */ door)) as Record<string, unknown>;
  expect(Object.keys(module).sort()).toEqual([...names].sort());
});
