import { describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/run-command-line.ts";
import { fakeHost } from "./fake-host.ts";

const signal = new AbortController().signal;

describe("runCommandLine", () => {
  test("runCommandLine tells what nobody caught as a defect, without a stack", async () => {
    const host = fakeHost();
    const crash = Promise.reject(new Error("from a timer"));
    expect(await runCommandLine(["tools", "--json"], { host, signal, crash })).toBe(1);
    expect(JSON.parse(host.written.stdout)).toMatchObject({ v: 1, error: { code: "internal" } });
    expect(host.written.stderr).toBe("");
  });

  test("runCommandLine lists the tools of its folder, with what they cost", async () => {
    const host = fakeHost();
    expect(await runCommandLine(["tools", "--json"], { host, signal, crash: new Promise(() => undefined) })).toBe(0);
    const document = JSON.parse(host.written.stdout) as {
      readonly visible: readonly { readonly name: string; readonly tokens: number }[];
      readonly tokens: { readonly count: number };
      readonly digest: string;
    };
    expect(document.visible.map(({ name }) => name)).toEqual(document.visible.map(({ name }) => name).toSorted());
    expect(document.tokens.count).toBe(document.visible.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(document.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  test("runCommandLine -q leaves out the words beside the data", async () => {
    const host = fakeHost();
    await runCommandLine(["tools", "-q"], { host, signal, crash: new Promise(() => undefined) });
    expect(host.written.stdout).toMatch(/^TOOL +ORIGIN/);
    expect(host.written.stderr).toBe("");
  });

  test.each([
    ["always", true],
    ["never", false],
    ["auto", false],
  ])("runCommandLine with --color %s colours a pipe: %j", async (color, isColoured) => {
    const host = fakeHost();
    await runCommandLine(["tools", "--color", color], { host, signal, crash: new Promise(() => undefined) });
    expect(host.written.stdout.includes("\u001b[")).toBe(isColoured);
  });
});
