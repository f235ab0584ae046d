import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchGlob } from "../../../src/core/policy/glob.ts";
import { compileEntry, parseEntry } from "../../../src/core/policy/parse-entry.ts";
import { makeTool } from "../../support/tools.ts";

const descriptor = (name: string, owner: Parameters<typeof makeTool>[2] = {}) =>
  makeTool(name, undefined, owner).descriptor;
const tools = {
  read: descriptor("read", { owner: { kind: "core" } }),
  exec: descriptor("exec", { owner: { kind: "core" } }),
  own: descriptor("Own-Tool"),
  deploy: descriptor("deploy", { owner: { kind: "plugin", pluginId: "acme" } }),
  say: descriptor("say", { owner: { kind: "channel", channelId: "chat" } }),
  issue: {
    ...descriptor("github__create_issue", { owner: { kind: "mcp", serverId: "github" } }),
    executor: { kind: "mcp", serverId: "github", toolName: "create_issue" } as const,
  },
};

function meant(entry: string): readonly string[] {
  const parsed = parseEntry(entry);
  if (parsed.kind === "fault") throw new Error(parsed.message);
  const matches = compileEntry(parsed);
  return Object.entries(tools)
    .filter(([, each]) => matches(each))
    .map(([name]) => name);
}

describe("parseEntry", () => {
  test.each<[string, readonly string[]]>([
    ["*", ["read", "exec", "own", "deploy", "say", "issue"]],
    ["read", ["read"]],
    ["own_tool", ["own"]],
    ["OWN-TOOL", ["own"]],
    ["*e*", ["read", "exec", "deploy"]],
    ["group:fs", ["read"]],
    ["group:runtime", ["exec"]],
    ["group:mcp", ["issue"]],
    ["group:plugins", ["deploy"]],
    ["group:core", ["read", "exec"]],
    ["mcp:github", ["issue"]],
    ["mcp:*", ["issue"]],
    ["mcp:github/create_*", ["issue"]],
    ["mcp:git*/create_issue", ["issue"]],
    ["mcp:github/other", []],
    ["plugin:acme", ["deploy"]],
    ["plugin:acme/deploy", ["deploy"]],
    ["channel:chat/say", ["say"]],
    ["github__create_issue", []],
  ])("%s means %j", (entry, names) => expect(meant(entry)).toEqual(names));

  test.each<[unknown, string]>([
    ["", "empty"],
    ["  ", "empty"],
    [" read", "white space"],
    ["a?c", '"?"'],
    ["[ab]", '"["'],
    ["!read", '"!"'],
    ["@all", '"@"'],
    ["exec(git log:*)", "argument rules"],
    ["group:fss", "fss"],
    ["group:constructor", "constructor"],
    ["mcp:", "mcp"],
    ["mcp:x/", "tool"],
    ["a b", "never"],
    ["x".repeat(10_000), "longer"],
    [5, "text"],
    [null, "text"],
    [{}, "text"],
  ])("%j is refused with a reason", (entry, words) => {
    const parsed = parseEntry(entry);
    expect(parsed.kind).toBe("fault");
    expect(parsed.kind === "fault" && parsed.message).toContain(words);
    expect(parsed.kind === "fault" && parsed.message.length).toBeLessThan(300);
  });

  test("a misspelt group gets a suggestion", () => {
    expect(parseEntry("group:fss")).toMatchObject({ fix: expect.stringContaining("group:fs") as string });
  });

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), (entry) =>
        ["fault", "every", "name", "names", "owners", "origin"].includes(parseEntry(entry).kind),
      ),
    );
  });
});

describe("matchGlob", () => {
  const text = fc.stringMatching(/^[ab_]{0,12}$/);
  test("says what a regular expression would say", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab_*]{0,8}$/), text, (pattern, subject) => {
        expect(matchGlob(pattern, subject)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(subject));
      }),
    );
  });

  test("does not backtrack", () => {
    expect(matchGlob(`${"*a".repeat(50)}b`, "a".repeat(5000))).toBe(false);
  });
});
