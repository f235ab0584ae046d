import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCallInput } from "../../../src/cli/input/read-call-input.ts";

const read = async (words: readonly string[], stdin = ""): Promise<unknown> =>
  await readCallInput(words, {
    readStdin: () => Promise.resolve(stdin),
    readFile: (file) => (file === "a.txt" ? Promise.resolve("from the file") : Promise.reject(new Error("ENOENT"))),
  });

describe("readCallInput", () => {
  test("readCallInput gives nothing for no words", async () => {
    expect(await read([])).toBeUndefined();
  });

  test("readCallInput takes key=value as text, whatever it looks like", async () => {
    expect(await read(["a=1", "b=true", "c=", "d=x=y", "e= z "])).toEqual({
      a: "1",
      b: "true",
      c: "",
      d: "x=y",
      e: " z ",
    });
  });

  test("readCallInput makes a list of a repeated key, in order", async () => {
    expect(await read(["a=1", "b=x", "a=2", "a:=3"])).toEqual({ a: ["1", "2", 3], b: "x" });
  });

  test("readCallInput takes key:=json as JSON", async () => {
    expect(await read(["a:=1", "b:=[true,null]", 'c:={"d":"e"}', 'f:="@g"'])).toEqual({
      a: 1,
      b: [true, null],
      c: { d: "e" },
      f: "@g",
    });
  });

  test("readCallInput nests at dots", async () => {
    expect(await read(["a.b=1", "a.c.d:=2", "a.b=3"])).toEqual({ a: { b: ["1", "3"], c: { d: 2 } } });
  });

  test("readCallInput reads a file for key=@file", async () => {
    expect(await read(["a=@a.txt"])).toEqual({ a: "from the file" });
    await expect(read(["a=@b.txt"])).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining('"b.txt"') as string,
    });
  });

  test("readCallInput takes one JSON object", async () => {
    expect(await read(['{"a": [1]}'])).toEqual({ a: [1] });
  });

  test("readCallInput takes - as JSON from stdin", async () => {
    expect(await read(["-"], '\uFEFF{"a": 1}\n')).toEqual({ a: 1 });
    expect(await read(["-"], "[1]")).toEqual([1]);
  });

  test.each([
    [["-"], "", "stdin"],
    [["-"], '{"a": 1', "stdin"],
    [['{"a": 1'], "", "the input"],
    [["{}", "a=1"], "", "Nothing can follow"],
    [["-", "a=1"], "{}", "Nothing can follow"],
    [["a:={"], "", '"a"'],
    [["a:="], "", '"a"'],
    [["word"], "", '"word"'],
    [["=x"], "", '"=x"'],
    [[":=1"], "", '":=1"'],
    [["a..b=1"], "", '"a..b=1"'],
    [["[1]"], "", '"[1]"'],
    [["a=1", "a.b=2"], "", '"a.b"'],
    [["a.b=2", "a=1"], "", '"a"'],
    [[`${"a.".repeat(100)}b=1`], "", "no input"],
  ])("readCallInput refuses %j and names what it cannot read", async (words, stdin, named) => {
    await expect(read(words, stdin)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(named) as string,
      fix: expect.any(String) as string,
    });
  });

  test("readCallInput gives back any text under any key, inherited names too", async () => {
    const key = fc
      .oneof(fc.constantFrom("__proto__", "constructor", "toString"), fc.string({ minLength: 1 }))
      .filter((text) => !/[=.:]|^\s*\{|^-$/.test(text));
    const value = fc.string().filter((text) => !text.startsWith("@"));
    await fc.assert(
      fc.asyncProperty(key, value, async (name, text) => {
        const input = (await read([`${name}=${text}`])) as object;
        expect(Object.entries(input)).toEqual([[name, text]]);
        expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
      }),
    );
  });
});
