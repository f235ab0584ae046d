import { describe, expect, test } from "vitest";
import { Output } from "../../src/cli/output/output.ts";
import { terminalApprover } from "../../src/cli/terminal-approver.ts";
import type { ApprovalRequest } from "../../src/core/dispatch/approval.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";

const request = (name: string, input: ApprovalRequest["input"] = { path: "a.md" }): ApprovalRequest => ({
  id: `${name}.1`,
  call: { id: name, name, input },
  tool: { name, description: "", inputSchema: {}, owner: { kind: "core" } },
  input,
  caller: { kind: "model" },
  reason: "it changes something",
  digest: "d",
  expiresAt: "2030-01-01T00:00:00.000Z",
  offers: [{ scope: "once" }],
});

const never = new AbortController().signal;

function setUp(): { readonly host: FakeHost; readonly approver: ReturnType<typeof terminalApprover> } {
  const host = fakeHost({ env: { NO_COLOR: "1" } });
  const out = new Output(host, { json: false, quiet: true, verbose: false, color: "never" });
  return { host, approver: terminalApprover({ host, out }) };
}

/** Settles once the question is on the terminal `count` times: what is typed before does not answer it. */
async function asked(host: FakeHost, count: number): Promise<void> {
  while (host.written.stderr.split("[y/N]").length - 1 < count) await new Promise((resolve) => setImmediate(resolve));
}

describe("terminalApprover", () => {
  test.each([
    ["y", "approved"],
    ["YES", "approved"],
    [" y ", "approved"],
    ["", "rejected"],
    ["n", "rejected"],
    ["yep", "rejected"],
    ["always", "rejected"],
  ])("terminalApprover takes %j as %s", async (line, answer) => {
    const { host, approver } = setUp();
    const answered = approver.ask(request("write"), never);
    await asked(host, 1);
    host.stdin.write(`${line}\n`);
    expect(await answered).toMatchObject({ answer });
  });

  test("terminalApprover shows tool, input and reason on stderr alone, and obeys nothing in them", async () => {
    const { host, approver } = setUp();
    const answered = approver.ask(request("write", { path: "a\u001b[2K\u009b1A" }), never);
    await asked(host, 1);
    host.stdin.end();
    await answered;
    expect(host.written.stdout).toBe("");
    expect(host.written.stderr).toContain("write (core)");
    expect(host.written.stderr).toContain("it changes something");
    // eslint-disable-next-line no-control-regex
    expect(host.written.stderr).not.toMatch(/[\u001b\u009b]/);
  });

  test("terminalApprover says how much of a long input it does not show", async () => {
    const { host, approver } = setUp();
    const answered = approver.ask(request("write", { content: "x".repeat(20_000) }), never);
    await asked(host, 1);
    host.stdin.end();
    await answered;
    expect(host.written.stderr).toMatch(/and 1\d{4} more characters that are not shown/);
  });

  test("terminalApprover takes the end of the input as a no", async () => {
    const { host, approver } = setUp();
    const answered = approver.ask(request("write"), never);
    host.stdin.end();
    expect(await answered).toMatchObject({ answer: "rejected" });
  });

  test("terminalApprover asks one thing at a time", async () => {
    const { host, approver } = setUp();
    const first = approver.ask(request("first"), never);
    const second = approver.ask(request("second"), never);
    await asked(host, 1);
    expect(host.written.stderr).not.toContain("second");
    host.stdin.write("y\n");
    expect(await first).toMatchObject({ answer: "approved" });
    await asked(host, 2);
    host.stdin.write("n\n");
    expect(await second).toMatchObject({ answer: "rejected" });
  });

  test("terminalApprover withdraws a question whose call is over, and asks the next", async () => {
    const { host, approver } = setUp();
    const controller = new AbortController();
    const first = approver.ask(request("first"), controller.signal);
    const second = approver.ask(request("second"), never);
    await asked(host, 1);
    controller.abort(new Error("over"));
    await expect(first).rejects.toThrow("over");
    await asked(host, 2);
    host.stdin.write("y\n");
    expect(await second).toMatchObject({ answer: "approved" });
  });
});
