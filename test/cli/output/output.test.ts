import { describe, expect, test } from "vitest";
import { type OutStream, Output } from "../../../src/cli/output/output.ts";
import { reportError } from "../../../src/cli/output/report-error.ts";
import { ToolmapError } from "../../../src/core/errors.ts";
import { fakeHost } from "../fake-host.ts";

const options = { json: false, quiet: false, verbose: false, color: "auto" } as const;

describe("Output", () => {
  test("Output writes a document as one line that starts with the version", () => {
    const host = fakeHost();
    new Output(host, { ...options, json: true }).document({ name: "x" });
    expect(host.written.stdout).toBe('{"v":1,"name":"x"}\n');
  });

  test("Output refuses a second document", () => {
    const out = new Output(fakeHost(), { ...options, json: true });
    out.document({});
    expect(() => out.document({})).toThrow();
  });

  test("Output escapes in JSON what a terminal would obey, and changes nothing", () => {
    const host = fakeHost({ isTTY: true });
    const value = { text: "\u001b[2J\u009b2J\u007f\u202E\u2028ü" };
    new Output(host, { ...options, json: true }).document(value);
    // eslint-disable-next-line no-control-regex
    expect(host.written.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2028]/);
    expect(JSON.parse(host.written.stdout)).toEqual({ v: 1, ...value });
  });

  test("Output gives a tool's text unchanged into a pipe and shows it on a terminal", () => {
    const [pipe, terminal] = [fakeHost(), fakeHost({ isTTY: true })];
    for (const host of [pipe, terminal]) new Output(host, options).raw("\u001b[31mred");
    expect(pipe.written.stdout).toBe("\u001b[31mred");
    expect(terminal.written.stdout).toBe("␛[31mred");
  });

  test("Output leaves words out with -q and keeps failures", () => {
    const host = fakeHost();
    const out = new Output(host, { ...options, quiet: true });
    out.words("chat");
    out.failure("bad");
    expect(host.written).toEqual({ stdout: "", stderr: "bad\n" });
  });

  test("Output colours each stream by itself", () => {
    const host = fakeHost();
    const stderr: OutStream = { isTTY: true, write: host.stderr.write.bind(host.stderr) };
    const out = new Output({ ...host, stderr }, options);
    expect(out.paint("red", "x")).toBe("x");
    expect(out.paintWords("red", "x")).toBe("\u001b[31mx\u001b[39m");
  });
});

describe("reportError", () => {
  const known = new ToolmapError("bad-config", "Cannot \u001b[2J.", { fix: "Mend it.", source: "a.jsonc:3" });

  test("reportError tells place, message and way out on stderr", () => {
    const host = fakeHost();
    expect(reportError(known, new Output(host, options))).toBe(2);
    expect(host.written).toEqual({ stdout: "", stderr: "toolmap: a.jsonc:3: Cannot ␛[2J.\nMend it.\n" });
  });

  test("reportError tells the same as one document", () => {
    const host = fakeHost();
    reportError(known, new Output(host, { ...options, json: true }));
    expect(host.written.stderr).toBe("");
    expect(JSON.parse(host.written.stdout)).toEqual({
      v: 1,
      error: { code: "bad-config", message: known.message, fix: "Mend it.", source: "a.jsonc:3" },
    });
  });

  test("reportError keeps to one document when one was written before", () => {
    const host = fakeHost();
    const out = new Output(host, { ...options, json: true });
    out.document({ ok: true });
    reportError(new Error("late"), out);
    expect(host.written.stdout).toBe('{"v":1,"ok":true}\n');
    expect(host.written.stderr).toContain("late");
  });

  test.each([new Error("boom"), "boom", undefined, { toString: () => "boom" }])(
    "reportError calls %s internal, without a stack",
    (thrown) => {
      const host = fakeHost();
      expect(reportError(thrown, new Output(host, { ...options, json: true }))).toBe(1);
      const { error } = JSON.parse(host.written.stdout) as { error: { code: string } };
      expect(error.code).toBe("internal");
      expect(host.written.stdout + host.written.stderr).not.toMatch(/\n\s+at |\.ts:\d/);
    },
  );

  test("reportError shows where a defect is with -v, on stderr", () => {
    const host = fakeHost();
    reportError(new Error("boom"), new Output(host, { ...options, json: true, verbose: true }));
    expect(host.written.stderr).toMatch(/\n\s+at /);
    expect(() => JSON.parse(host.written.stdout) as unknown).not.toThrow();
  });
});
