import { readdirSync } from "node:fs";
import os from "node:os";
import { describe, expect, test } from "vitest";
import { DEMO_POLICY, DEMO_POLICY_FILE } from "../../src/cli/commands/demo/demo-files.ts";
import { type DemoReport, playDemo } from "../../src/cli/commands/demo/play-demo.ts";
import { maskDurations, renderDemo } from "../../src/cli/commands/demo/render-demo.ts";
import { textWidth } from "../../src/cli/output/text-width.ts";
import { parsePolicyFile } from "../../src/config/policy-file.ts";
import { runCli } from "./run-cli.ts";

const never = new AbortController().signal;
const plain = (_: string, text: string): string => text;
const demoFolders = (): readonly string[] =>
  readdirSync(os.tmpdir()).filter((name) => name.startsWith("toolmap-demo-"));
const callsOf = (report: DemoReport): DemoReport["turns"][number]["calls"] =>
  report.turns.flatMap(({ calls }) => calls);

describe("playDemo", () => {
  test("playDemo goes as its script says, and removes its folder", async () => {
    const before = demoFolders();
    const report = await playDemo({ signal: never });
    expect(report.surprises).toEqual([]);
    expect(report.stop).toBe("end");
    expect(demoFolders().filter((name) => !before.includes(name))).toEqual([]);
  });

  test("playDemo hides what a key is missing for and what the policy denies, each with its reason", async () => {
    const { plan } = await playDemo({ signal: never });
    expect(plan.visible.map(({ name }) => name)).toContain("grep");
    expect(plan.visible.every(({ tokens }) => tokens > 0)).toBe(true);
    expect(plan.hidden).toMatchObject([
      {
        name: "deploy",
        diagnostics: [{ reason: "policy", source: expect.stringMatching(/^demo\.jsonc:\d+$/) as string }],
      },
      {
        name: "web_search",
        diagnostics: [{ reason: "env-missing", message: expect.stringContaining("BRAVE_API_KEY") as string }],
      },
    ]);
  });

  test("playDemo names the line of the rule that denied, and the way out", async () => {
    const report = await playDemo({ signal: never });
    const denied = callsOf(report).find(({ outcome }) => outcome === "denied");
    const line = DEMO_POLICY.split("\n").findIndex((text) => text.trim() === '"deploy",') + 1;
    expect(denied).toMatchObject({
      name: "deploy",
      source: `${DEMO_POLICY_FILE}:${line}`,
      fix: expect.any(String) as string,
    });
  });

  test("playDemo shows two calls at once: the second ends first, the results keep the order", async () => {
    const report = await playDemo({ signal: never });
    expect(report.finished.indexOf("call_search")).toBeLessThan(report.finished.indexOf("call_tides"));
    const answers = report.transcript.flatMap(({ content }) =>
      content.map((block) => (block.type === "tool_result" ? block.tool_use_id : undefined)),
    );
    expect(answers.indexOf("call_tides")).toBeLessThan(answers.indexOf("call_search"));
  });

  test("playDemo gives a transcript in which every call has its result right after it", async () => {
    const { transcript } = await playDemo({ signal: never });
    for (const [at, { role, content }] of transcript.entries()) {
      if (role !== "assistant") continue;
      const calls = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      const answers = transcript[at + 1]?.content ?? [];
      expect(answers.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))).toEqual(calls);
    }
  });

  test("playDemo stops when it is told to, and still removes its folder", async () => {
    const before = demoFolders();
    const report = await playDemo({ signal: AbortSignal.abort() });
    expect(report.stop).toBe("cancelled");
    expect(report.surprises.length).toBeGreaterThan(0);
    expect(demoFolders().filter((name) => !before.includes(name))).toEqual([]);
  });
});

describe("renderDemo", () => {
  test("renderDemo gives the same text each time once the durations are masked, on lines that fit", async () => {
    const [first, second] = [await playDemo({ signal: never }), await playDemo({ signal: never })].map((report) =>
      maskDurations(renderDemo(report, plain)),
    );
    expect(first).toBe(second);
    expect(first).toMatch(/^ok +grep +TODO +\d+ hits +N ms$/m);
    expect(first).toMatch(/^ok +edit +README\.md +a hook sent it to drafts\/README\.md +N ms$/m);
    expect(first).toMatch(/^denied +deploy +production +demo\.jsonc:\d+/m);
    expect(first).toMatch(/^error +fetch_status +billing +.*503/m);
    const tooLong = first?.split("\n").filter((line) => textWidth(line) > 120);
    expect(tooLong).toEqual([]);
  });

  test("maskDurations replaces durations at line ends and keeps the width", () => {
    expect(maskDurations("ok  12 ms\nok   1 ms\nok 1.2 s\nin 5 ms more")).toBe(
      "ok   N ms\nok   N ms\nok  N ms\nin 5 ms more",
    );
  });
});

test("toolmap demo prints that text, whatever keys its environment holds", async () => {
  const { code, stdout, stderr } = await runCli(["demo"], { cwd: os.tmpdir(), env: { BRAVE_API_KEY: "a-key" } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const report = await playDemo({ signal: never });
  expect(maskDurations(stdout)).toBe(`${maskDurations(renderDemo(report, plain))}\n`);
});

test("the demo's policy file is one that parsePolicyFile reads", () => {
  const { layers } = parsePolicyFile(DEMO_POLICY, { file: DEMO_POLICY_FILE });
  expect(layers).toEqual([{ name: "demo", deny: ["deploy"], approve: ["edit", "exec"] }]);
});
