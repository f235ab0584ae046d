import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { playDemo } from "../../src/cli/commands/demo/play-demo.ts";
import { maskDurations, renderDemo } from "../../src/cli/commands/demo/render-demo.ts";

/** Lines of a text that show a call or a part of the plan, durations masked, whatever they are indented by. */
function demoLines(text: string): readonly string[] {
  const lines = maskDurations(text).split("\n");
  return lines.filter((line) => /^ {0,4}(visible|hidden|ok|denied|error) {2,}\S/.test(line)).map(squeeze);
}

function squeeze(line: string): string {
  return line.trim().replace(/ {2,}/g, "  ");
}

test("README's first screen shows what the demo prints", async () => {
  const report = await playDemo({ signal: new AbortController().signal });
  const printed = demoLines(renderDemo(report, (_, text) => text));
  const shown = demoLines(readFileSync("README.md", "utf8"));
  expect(shown.length).toBeGreaterThanOrEqual(4);
  expect(shown.filter((line) => !printed.includes(line))).toEqual([]);
});
