import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalToolName, exposedToolName, isToolName, nearestNames } from "../../../src/core/tool/name.ts";

describe("isToolName", () => {
  test.each(["a", "_", "read", "Read_File-2", "__proto__", "constructor", "x".repeat(64)])(
    "isToolName takes %s",
    (name) => {
      expect(isToolName(name)).toBe(true);
    },
  );

  test.each([
    "",
    "2read",
    "-read",
    "a b",
    "a.b",
    "a/b",
    "é",
    "read\n",
    "\nread",
    "x".repeat(65),
    "a\u0000",
    "\u212Aelvin",
  ])("isToolName refuses %j", (name) => {
    expect(isToolName(name)).toBe(false);
  });
});

describe("canonicalToolName", () => {
  test("canonicalToolName folds case and dashes and nothing else", () => {
    expect(canonicalToolName("Create-Issue_2")).toBe("create_issue_2");
    expect(canonicalToolName("a.b c")).toBe("a.b c");
    expect(canonicalToolName("")).toBe("");
  });

  test("canonicalToolName folds I as every locale but the Turkish ones does", () => {
    expect(canonicalToolName("LIST_ISSUES")).toBe("list_issues");
  });

  test("canonicalToolName of a canonical name is that name", () => {
    fc.assert(
      fc.property(fc.string(), (name) => canonicalToolName(canonicalToolName(name)) === canonicalToolName(name)),
    );
  });
});

describe("exposedToolName", () => {
  test("exposedToolName joins the two names where that is legal", () => {
    expect(exposedToolName("github", "create_issue")).toBe("github__create_issue");
    expect(exposedToolName("my-server", "list-all__things")).toBe("my-server__list-all__things");
  });

  test("NAM-01 names that are too long end in a hash of the whole of both names", () => {
    const server = "s".repeat(45);
    const [one, two] = [exposedToolName(server, "t".repeat(30)), exposedToolName(server, `${"t".repeat(29)}u`)];
    expect(one).toMatch(/^s{45}__t{2}_[0-9a-f]{10}$/);
    expect(one).toHaveLength(60);
    expect(two).not.toBe(one);
  });

  test("NAM-01 a name of exactly 60 letters stays, one of 61 is shortened", () => {
    expect(exposedToolName("s", "t".repeat(57))).toBe(`s__${"t".repeat(57)}`);
    expect(exposedToolName("s", "t".repeat(58))).toMatch(/^s__t{46}_[0-9a-f]{10}$/);
  });

  test("NAM-02 letters that providers refuse are replaced, and the tail keeps the names apart", () => {
    const names = ["cal.read", "cal/read", "cal read", "cal_read"].map((raw) => exposedToolName("Team Sheets", raw));
    for (const name of names) expect(name).toMatch(/^Team_Sheets__cal_read_[0-9a-f]{10}$/);
    expect(new Set(names).size).toBe(4);
  });

  test("NAM-04 the name is a function of server and raw name: it is this one on every machine and in every run", () => {
    expect(exposedToolName("team sheets", "cal.read")).toBe("team_sheets__cal_read_b422dc6e89");
  });

  test("NAM-04 names that would join to the same text stay apart", () => {
    const pairs = [
      ["a", "b__c"],
      ["a__b", "c"],
      ["a_", "b"],
      ["a", "_b"],
      ["a-", "b"],
      ["a", "-b"],
    ] as const;
    const names = pairs.map(([server, raw]) => canonicalToolName(exposedToolName(server, raw)));
    expect(new Set(names).size).toBe(pairs.length);
  });

  test("NAM-04 a raw name cannot be made to equal another tool's hashed name", () => {
    const victim = exposedToolName("a.b", "pay");
    const [, forged = ""] = victim.split("a_b__");
    expect(exposedToolName("a_b", forged)).not.toBe(victim);
  });

  test("exposedToolName without a prefix is the raw name, made legal", () => {
    expect(exposedToolName("github", "create_issue", { prefix: "never" })).toBe("create_issue");
    expect(exposedToolName("github", "create.issue", { prefix: "never" })).toMatch(/^create_issue_[0-9a-f]{10}$/);
    expect(exposedToolName("github", "2fa", { prefix: "never" })).toMatch(/^_2fa_[0-9a-f]{10}$/);
    expect(exposedToolName("gitlab", "create.issue", { prefix: "never" })).not.toBe(
      exposedToolName("github", "create.issue", { prefix: "never" }),
    );
  });

  test.each([
    ["", ""],
    ["", "x"],
    ["x", ""],
    ["9", "9"],
    ["\uD800", "\uDC00"],
    ["日本", "検索"],
    ["__proto__", "constructor"],
    ["x", "y".repeat(100_000)],
  ])("exposedToolName is legal for %j and %#", (server, raw) => {
    for (const prefix of ["always", "never"] as const) {
      const name = exposedToolName(server, raw, { prefix });
      expect(isToolName(name)).toBe(true);
      expect(name.length).toBeLessThanOrEqual(60);
    }
  });
});

describe("nearestNames", () => {
  const names = ["read", "write", "edit", "list_orders", "exec", "web_fetch", "github__create_issue"];

  test.each([
    ["raed", "read"],
    ["Read", "read"],
    ["Read_File", "read"],
    ["readFile", "read"],
    ["fetch_orders", "list_orders"],
    ["listOrder", "list_orders"],
    ["create_issue", "github__create_issue"],
    ["fetch_web", "web_fetch"],
    ["WRITE", "write"],
  ])("nearestNames for %s begins with %s", (name, nearest) => {
    expect(nearestNames(name, names, 3)[0]).toBe(nearest);
  });

  test("nearestNames has nothing to say for a name that resembles none, or for an empty one", () => {
    for (const name of ["qqqqqqqq", "", "   ", "日本語"]) expect(nearestNames(name, names, 3)).toEqual([]);
    expect(nearestNames("read", [], 3)).toEqual([]);
    expect(nearestNames("read", names, 0)).toEqual([]);
  });

  test("nearestNames gives the best first and at most as many as wanted, each once", () => {
    expect(nearestNames("list_order", ["list_borders", "list_orders", "list_orders", "lost_orders"], 2)).toEqual([
      "list_orders",
      "list_borders",
    ]);
  });

  test("nearestNames does not depend on the order of the candidates", () => {
    const letters = fc.stringMatching(/^[ab_]{1,8}$/);
    fc.assert(
      fc.property(letters, fc.array(letters), fc.integer({ min: 1, max: 4 }), (name, candidates, limit) => {
        expect(nearestNames(name, candidates.toReversed(), limit)).toEqual(nearestNames(name, candidates, limit));
      }),
    );
  });

  test("nearestNames finds what comparing everything finds", () => {
    const letters = fc.stringMatching(/^[abc_-]{1,10}$/);
    fc.assert(
      fc.property(letters, fc.array(letters, { maxLength: 12 }), (name, candidates) => {
        const alone = candidates.filter((candidate) => nearestNames(name, [candidate], 1).length === 1);
        expect(new Set(nearestNames(name, candidates, candidates.length))).toEqual(new Set(alone));
      }),
    );
  });

  test("nearestNames takes names of any length and letters that grow when folded", () => {
    expect(nearestNames("x".repeat(1_000_000), ["y".repeat(1_000_000)], 3)).toEqual([]);
    expect(nearestNames("İ".repeat(200), ["read", "İ".repeat(100)], 1)).toEqual(["İ".repeat(100)]);
  });

  test("nearestNames finds the one typo among thousands of long names that resemble it", () => {
    const many = Array.from({ length: 5000 }, (_, at) => `some_long_server_name__with_a_long_tool_${at}`);
    expect(nearestNames("some_long_server_name__with_a_lnog_tool_4711", many, 1)).toEqual([many[4711]]);
  });
});
