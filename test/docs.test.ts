import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../src/core/errors.ts";
import { EXIT } from "../src/cli/exit-code.ts";

const read = (file: string): string => readFileSync(file, "utf8");
const documents = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  "AGENTS.md",
].concat(
  readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => path.posix.join("docs", file.replaceAll("\\", "/"))),
);

test("docs/errors.md has the rows of the table in code, in its order", () => {
  const rows = [...read("docs/errors.md").matchAll(/^\| `([a-z-]+)` \| (.+) \|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES));
});

test("every code of the table is thrown somewhere, or is kept on purpose", () => {
  const source = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("errors.ts"))
    .map((file) => read(path.join("src", file)))
    .join("\n");
  expect(Object.keys(ERROR_CODES).filter((code) => !source.includes(`"${code}"`))).toEqual([]);
});

test("the README's exit codes are those of the command line", () => {
  const rows = [...read("README.md").matchAll(/^\| `?(\d+)`? \| ([^|]+) \|/gm)].map(([, code]) => Number(code));
  expect(new Set(rows)).toEqual(new Set(Object.values(EXIT)));
});

describe("links", () => {
  test.each(documents)("every file that %s links to is there", (document) => {
    const targets = [...read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target = ""]) => target);
    const missing = targets.filter((target) => !existsSync(path.join(path.dirname(document), target)));
    expect(missing).toEqual([]);
  });

  test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md"])(
    "every file of src that %s names is there",
    (document) => {
      const named = [
        ...read(document).matchAll(/\b((?:src\/)?(?:core|builtin|providers|config|testing|cli)\/[\w/-]+\.ts)\b/g),
      ].map(([, file = ""]) => file);
      expect(named.filter((file) => !existsSync(file.startsWith("src/") ? file : path.join("src", file)))).toEqual([]);
    },
  );
});

test("the words of the vocabulary are used: no document says what it lists under Not", () => {
  const text = ["README.md", "ARCHITECTURE.md"].map(read).join("\n");
  for (const word of ["guardrail", "middleware", "subagent"]) expect(text.toLowerCase()).not.toContain(word);
});
