import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../src/cli/parse-command-line.ts";
import { ToolmapError } from "../../src/core/errors.ts";

function failure(argv: readonly string[]): ToolmapError {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (error instanceof ToolmapError) return error;
    throw error;
  }
  throw new Error(`it was read: ${argv.join(" ")}`);
}

describe("parseCommandLine", () => {
  test.each([
    [["--json", "tools"]],
    [["tools", "--json"]],
    [["tools", "read", "--json", "-q", "--no-input", "--no-config", "-C", "/tmp"]],
  ])("parseCommandLine takes global flags before and after the command: %j", (argv) => {
    const line = parseCommandLine(argv);
    expect(line.kind === "command" && line.globals.json).toBe(true);
  });

  test("parseCommandLine fills in the defaults", () => {
    const line = parseCommandLine(["call", "read", "path=-x", "a:=[-1]"]);
    expect(line).toMatchObject({
      kind: "command",
      globals: { cwd: ".", json: false, quiet: false, verbose: false, color: "auto", input: true },
    });
  });

  test.each(["demo", "tools", "explain", "why", "call", "run"])(
    "parseCommandLine shows help with examples for %s",
    (name) => {
      for (const argv of [
        [name, "--help"],
        ["help", name],
      ]) {
        const line = parseCommandLine(argv);
        expect(line.kind).toBe("help");
        expect(line.kind === "help" ? line.text : "").toMatch(
          /Usage: toolmap[\s\S]+--json[\s\S]+Examples:\n {2}\$ toolmap /,
        );
      }
    },
  );

  test.each([
    ["sessions", "list"],
    ["sessions", "show"],
    ["sessions", "export"],
    ["sessions", "repair"],
    ["sessions", "purge"],
    ["audit", "verify"],
  ])("parseCommandLine shows help with examples for %s %s", (group, name) => {
    const line = parseCommandLine([group, name, "--help"]);
    expect(line.kind === "help" ? line.text : "").toMatch(
      new RegExp(`Usage: toolmap ${group} ${name}[\\s\\S]+--json[\\s\\S]+Examples:\\n {2}\\$ toolmap ${group} ${name}`),
    );
  });

  test("parseCommandLine gives the version of the package", () => {
    expect(parseCommandLine(["--version"])).toEqual({
      kind: "version",
      text: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string,
    });
  });

  test.each([
    [[], "No command"],
    [["toolz"], "toolz"],
    [["tools", "a", "b"], "too many arguments"],
    [["tools", "--nope"], "--nope"],
    [["call"], "tool"],
    [["call", "read", "--dry-run"], "--dry-run"],
    [["call", "read", "--timeout", "soon"], "soon"],
    [["call", "read", "--timeout"], "--timeout"],
    [["call", "read", "--as", "root"], "root"],
    [["explain"], "tool"],
    [["tools", "--color", "pink"], "pink"],
    [["--help-me"], "--help-me"],
    [["sessions"], "No command"],
    [["sessions", "lisst"], "list"],
    [["sessions", "list", "--limit", "0"], "--limit"],
    [["sessions", "purge", "--keep", "-1"], "--keep"],
    [["sessions", "purge", "--older-than", "soon"], "soon"],
    [["sessions", "show"], "id"],
    [["audit"], "No command"],
  ])("parseCommandLine refuses %j and names what is wrong", (argv, named) => {
    const error = failure(argv);
    expect(error.code).toBe("usage");
    expect(error.message.toLowerCase()).toContain(named.toLowerCase());
    expect(error.fix).toBeTypeOf("string");
  });

  test("parseCommandLine suggests the nearest command", () => {
    expect(failure(["tool"]).message).toContain("tools");
  });

  test.each([
    [["tools", "--config", "x.jsonc"], "--config"],
    [["tools", "--agent", "main"], "--agent"],
    [["run", "hi", "--model", "a/b"], "--model"],
  ])("parseCommandLine knows %j and says that it is not yet configured", (argv, flag) => {
    expect(failure(argv)).toMatchObject({
      code: "not-yet-configured",
      message: expect.stringContaining(flag) as string,
    });
  });
});
