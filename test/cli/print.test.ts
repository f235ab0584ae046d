import { describe, expect, test } from "vitest";
import { printExplanation } from "../../src/cli/commands/print-explanation.ts";
import { printPlan } from "../../src/cli/commands/print-plan.ts";
import type { PlanDocument } from "../../src/cli/describe-plan.ts";
import { Output } from "../../src/cli/output/output.ts";
import type { Explanation } from "../../src/core/dispatch/explanation.ts";
import { fakeHost } from "./fake-host.ts";

const PLAN: PlanDocument = {
  visible: [
    { name: "read", origin: "core", description: "Reads a file.\nThen stops.", tokens: 206 },
    { name: "evil", origin: "mcp:\u001b[2J", description: "x\u009b2J\u202Ey", tokens: 7 },
  ],
  hidden: [
    {
      name: "deploy",
      origin: "custom",
      diagnostics: [
        { reason: "env-missing", message: "set KEY" },
        { reason: "policy", message: "denied", source: "a.jsonc:3" },
      ],
    },
  ],
  shadowed: [{ name: "grep", origin: "core", by: "custom" }],
  sources: [{ id: "builtin", state: "ready" }],
  tokens: { count: 213, estimated: true },
};

function print(options: { readonly all?: boolean; readonly hidden?: boolean } = {}): {
  readonly stdout: string;
  readonly stderr: string;
} {
  const host = fakeHost();
  const out = new Output(host, { json: false, quiet: false, verbose: false, color: "never" });
  printPlan(PLAN, { all: false, hidden: false, ...options }, out);
  return host.written;
}

describe("printPlan", () => {
  test("printPlan lists what is visible, and says how much is not", () => {
    const { stdout, stderr } = print();
    expect(stdout).toMatch(/^TOOL +ORIGIN +TOKENS +DESCRIPTION\nread +core +~206 +Reads a file\. ↵ Then stops\.\n/);
    expect(stdout).not.toContain("deploy");
    expect(stderr).toBe("2 visible, ~213 tokens; 1 hidden, 1 shadowed (--all shows them)\n");
  });

  test("printPlan --all shows every reason, what is shadowed, and the sources", () => {
    const { stdout, stderr } = print({ all: true });
    expect(stdout).toMatch(/^deploy +custom +env-missing +set KEY$/m);
    expect(stdout).toMatch(/^deploy +custom +policy +denied \(a\.jsonc:3\)$/m);
    expect(stdout).toMatch(/^grep +core +custom$/m);
    expect(stdout).toMatch(/^builtin +ready$/m);
    expect(stderr).not.toContain("--all");
  });

  test("printPlan --hidden shows the hidden tools alone", () => {
    const { stdout } = print({ hidden: true });
    expect(stdout).toMatch(/^HIDDEN/);
    expect(stdout).not.toMatch(/^read/m);
  });

  test("printPlan obeys nothing in names and descriptions", () => {
    // eslint-disable-next-line no-control-regex
    expect(print({ all: true }).stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });
});

describe("printExplanation", () => {
  const explanation: Explanation = {
    name: "exec",
    origin: "core",
    visible: true,
    active: true,
    verdict: "deny",
    trace: [
      { stage: "check", verdict: "deny", message: "does not fit:\n- /path: expected string" },
      { stage: "policy", verdict: "deny", message: "denied", rule: "deny exec", source: "a.jsonc:3" },
      { stage: "policy", verdict: "deny", message: "denied by a.jsonc:3", source: "a.jsonc:3" },
    ],
    fix: "remove it",
  };

  test("printExplanation gives each stage a line, with the rule and its place once", () => {
    const host = fakeHost();
    printExplanation(explanation, new Output(host, { json: false, quiet: false, verbose: false, color: "never" }));
    expect(host.written.stdout.split("\n")).toEqual([
      "exec  core, visible: would not run",
      "  check   deny  does not fit:",
      "                - /path: expected string",
      "  policy  deny  denied (deny exec, a.jsonc:3)",
      "  policy  deny  denied by a.jsonc:3",
      "fix: remove it",
      "",
    ]);
  });
});
