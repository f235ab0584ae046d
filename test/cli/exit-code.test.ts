import { describe, expect, test } from "vitest";
import { exitOfError, exitOfOutcome, exitOfRun } from "../../src/cli/exit-code.ts";
import { ERROR_CODES, type ErrorCode } from "../../src/core/errors.ts";
import type { Stop } from "../../src/core/session/run.ts";
import type { Outcome, ToolResult } from "../../src/core/tool/result.ts";

const result = (outcome: Outcome): ToolResult => ({
  callId: "c",
  name: "t",
  outcome,
  isError: outcome !== "ok",
  content: [{ type: "text", text: "x" }],
});

describe("exitOfOutcome", () => {
  test.each<[Outcome, number]>([
    ["ok", 0],
    ["error", 1],
    ["interrupted", 1],
    ["denied", 3],
    ["blocked", 3],
    ["rejected", 3],
    ["unavailable", 3],
    ["unknown-tool", 4],
    ["invalid-input", 5],
    ["truncated", 5],
    ["timed-out", 124],
    ["cancelled", 130],
  ])("exitOfOutcome gives for %s %d", (outcome, code) => {
    expect(exitOfOutcome(outcome)).toBe(code);
  });
});

describe("exitOfRun", () => {
  test.each<[Stop, number]>([
    ["end", 0],
    ["model-error", 1],
    ["turns", 6],
    ["time", 6],
    ["tokens", 6],
    ["loop", 6],
    ["cancelled", 130],
  ])("exitOfRun gives for stop %s %d", (stop, code) => {
    expect(exitOfRun({ stop, results: [result("ok"), result("error")] })).toBe(code);
  });

  test.each<Outcome>(["denied", "blocked", "rejected", "unavailable"])(
    "exitOfRun tells that a call was %s",
    (outcome) => {
      expect(exitOfRun({ stop: "end", results: [result("ok"), result(outcome)] })).toBe(3);
    },
  );

  test("exitOfRun puts a limit before a refusal", () => {
    expect(exitOfRun({ stop: "turns", results: [result("denied")] })).toBe(6);
  });
});

test("exitOfError gives 1 for a defect and 2 for every other code", () => {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  expect(codes.filter((code) => exitOfError(code) !== 2)).toEqual(["internal"]);
  expect(exitOfError("internal")).toBe(1);
});
