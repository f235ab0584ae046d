import path from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "../../src/builtin/glob.ts";

const YES = [
  ["*.ts", "a.ts"],
  ["*.ts", "deep/er/a.ts"],
  ["src/*.ts", "src/a.ts"],
  ["src/**/*.ts", "src/a.ts"],
  ["src/**/*.ts", "src/x/y/a.ts"],
  ["**/test/**", "a/test/b"],
  ["./src/?.ts", "src/é.ts"],
  ["src/?.ts", "src/😀.ts"],
  ["*.{js,ts}", "a.ts"],
  ["{src,test}/{a,b{1,2}}.ts", "test/b2.ts"],
  ["[id].tsx", "app/[id].tsx"],
  ["a{b}c", "a{b}c"],
  ["/top.txt", "top.txt"],
  ["**", "any/thing"],
] as const;
const NO = [
  ["*.ts", "a.tsx"],
  ["src/*.ts", "src/x/a.ts"],
  ["src/*.ts", "x/src/a.ts"],
  ["[ab].ts", "a.ts"],
  ["?.ts", ".ts"],
  ["/top.txt", "sub/top.txt"],
  ["a.c", "abc"],
] as const;

test.each(YES)("compileGlob %s matches %s", (pattern, path) => {
  expect(compileGlob(pattern).matches(path)).toBe(true);
});

test.each(NO)("compileGlob %s does not match %s", (pattern, path) => {
  expect(compileGlob(pattern).matches(path)).toBe(false);
});

test("compileGlob agrees with a regular expression on stars and question marks", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?"), minLength: 1, maxLength: 8 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, name, (pattern, candidate) => {
      const regex = new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`);
      expect(compileGlob(`x/${pattern}`).matches(path.posix.join("x", candidate))).toBe(
        pattern === "**" || regex.test(candidate),
      );
    }),
  );
});

test("compileGlob takes no longer for a pattern that blows up elsewhere", () => {
  expect(compileGlob(`${"*a".repeat(200)}b`).matches("a".repeat(2000))).toBe(false);
  expect(compileGlob(`${"**/a/".repeat(100)}b`).matches("a/".repeat(500))).toBe(false);
});

test("compileGlob refuses what is empty, too long or stands for too many patterns", () => {
  for (const pattern of ["", "a".repeat(1001), "{a,b}".repeat(20)])
    expect(() => compileGlob(pattern)).toThrow("as a file pattern");
});

test("compileGlob says which hidden and literal names it names", () => {
  expect(compileGlob("**/.github/*.yml")).toMatchObject({ namesHidden: true, names: new Set([".github"]) });
  expect(compileGlob("node_modules/x/*")).toMatchObject({ namesHidden: false, names: new Set(["node_modules", "x"]) });
});
