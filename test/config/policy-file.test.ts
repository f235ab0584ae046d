import { describe, expect, test } from "vitest";
import { parsePolicyFile } from "../../src/config/policy-file.ts";
import { ToolmapError } from "../../src/core/errors.ts";

const FILE = `{
  // what may never run
  "policy": [
    {
      "name": "team",
      "deny": [
        "deploy", // ask Ada
        "exec",
      ],
      "approve": ["edit"],
    },
    { "name": "mine", "profile": "coding", "allow": [] },
  ],
}`;

const parse = (text: string): ReturnType<typeof parsePolicyFile> => parsePolicyFile(text, { file: "p.jsonc" });

function failure(text: string): ToolmapError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ToolmapError) return error;
    throw error;
  }
  throw new Error("it was read");
}

describe("parsePolicyFile", () => {
  test("parsePolicyFile gives the layers in their order", () => {
    expect(parse(FILE).layers).toEqual([
      { name: "team", deny: ["deploy", "exec"], approve: ["edit"] },
      { name: "mine", profile: "coding", allow: [] },
    ]);
  });

  test("parsePolicyFile says where an entry and where a list stands", () => {
    const { places } = parse(FILE);
    expect(places.placeOf("team", "deny", 1)).toBe("p.jsonc:8");
    expect(places.placeOf("team", "deny", -1)).toBe("p.jsonc:6");
    expect(places.placeOf("mine", "allow", -1)).toBe("p.jsonc:12");
    expect(places.placeOf("mine", "deny", 0)).toBeUndefined();
    expect(places.placeOf("constructor", "deny", 0)).toBeUndefined();
  });

  test.each([
    ["no object", "[]", "p.jsonc:1"],
    ["no policy", "{}", "p.jsonc:1"],
    ["an unknown setting", '{ "policy": [],\n "polcy": [] }', "p.jsonc:2"],
    ["an unknown list", '{ "policy": [\n{ "name": "a",\n "denny": [] }] }', "p.jsonc:3"],
    ["a layer without a name", '{ "policy": [\n{ "deny": ["exec"] }] }', "p.jsonc:2"],
    ["an entry that is no text", '{ "policy": [{ "name": "a", "deny": ["x",\n 5] }] }', "p.jsonc:2"],
    ["a list that is no list", '{ "policy": [{ "name": "a",\n "deny": "exec" }] }', "p.jsonc:2"],
    ["two layers of one name", '{ "policy": [{ "name": "a" },\n{ "name": "a" }] }', "p.jsonc:2"],
    ["a setting that objects inherit", '{ "policy": [],\n "__proto__": {} }', "p.jsonc:2"],
  ])("parsePolicyFile refuses %s and says where", (_, text, source) => {
    expect(failure(text)).toMatchObject({ code: "bad-config", source });
  });
});
