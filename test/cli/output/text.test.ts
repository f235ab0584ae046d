import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isColoured } from "../../../src/cli/output/colour-mode.ts";
import { layoutTable } from "../../../src/cli/output/layout-table.ts";
import { clipToWidth, padToWidth, textWidth } from "../../../src/cli/output/text-width.ts";
import { visibleLine, visibleText } from "../../../src/cli/output/visible-text.ts";

describe("visibleText", () => {
  test.each([
    ["a colour", "\u001b[31mred\u001b[0m", "␛[31mred␛[0m"],
    ["a window title", "\u001b]0;owned\u0007", "␛]0;owned␇"],
    ["a C1 sequence", "\u009b2J", "<U+009B>2J"],
    ["a backspace", "ok\b\bno", "ok␈␈no"],
    ["a lone carriage return", "safe\rrm -rf /", "safe␍rm -rf /"],
    ["a direction override", "a\u202Eb", "a<U+202E>b"],
    ["tag characters", "a\u{e0041}", "a<U+E0041>"],
    ["DEL", "a\u007f", "a␡"],
    ["a lone surrogate", "a\ud800", "a\ufffd"],
  ])("visibleText shows %s and does not obey it", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  test("visibleText leaves line ends, tabs and every language alone", () => {
    const text = "a\tb\nκόσμε 你好 👍🏽 مرحبا";
    expect(visibleText(text)).toBe(text);
    expect(visibleText("a\r\nb")).toBe("a\nb");
  });

  test("visibleText leaves no control character but tab and line feed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        // eslint-disable-next-line no-control-regex
        expect(visibleText(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(visibleLine(text)).not.toMatch(/[\n\r\t]/);
      }),
    );
  });
});

describe("textWidth", () => {
  test.each([
    ["abc", 3],
    ["你好", 4],
    ["가나", 4],
    ["e\u0301", 1],
    ["👍", 2],
    ["\u001b[31mred\u001b[39m", 3],
    ["ｱ", 1],
    ["Ａ", 2],
    ["", 0],
  ])("textWidth counts the columns of %j", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  test("clipToWidth never gives more columns than asked, and keeps what fits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (raw, columns) => {
        const text = visibleLine(raw);
        expect(textWidth(clipToWidth(text, columns))).toBeLessThanOrEqual(columns);
        if (textWidth(text) <= columns) expect(clipToWidth(text, columns)).toBe(text);
      }),
    );
  });

  test("padToWidth fills up by columns, not by characters", () => {
    expect(padToWidth("你", 4)).toBe("你  ");
    expect(padToWidth("你", 4, "right")).toBe("  你");
    expect(padToWidth("long", 2)).toBe("long");
  });
});

describe("layoutTable", () => {
  const rows = [
    ["read", "12", "Reads a file"],
    ["工具", "7", "A tool with a wide name"],
  ];

  test("layoutTable lines the columns up", () => {
    expect(layoutTable(rows, { columns: [{}, { align: "right" }, {}] })).toEqual([
      "read  12  Reads a file",
      "工具   7  A tool with a wide name",
    ]);
  });

  test("layoutTable clips the last column to the terminal", () => {
    const lines = layoutTable(rows, { columns: [{}, { align: "right" }, {}], width: 32 });
    expect(lines[1]).toBe("工具   7  A tool with a wide na…");
    expect(lines.every((line) => textWidth(line) <= 32)).toBe(true);
  });

  test("layoutTable paints after it has laid out", () => {
    const paint = (text: string): string => `<${text}>`;
    expect(layoutTable([["a", "b"]], { columns: [{ paint }, {}], indent: 2 })).toEqual(["  <a>  b"]);
    expect(layoutTable([], { columns: [{}] })).toEqual([]);
  });
});

describe("isColoured", () => {
  test.each([
    ["auto", {}, true, true],
    ["auto", {}, false, false],
    ["auto", { NO_COLOR: "1" }, true, false],
    ["auto", { NO_COLOR: "" }, true, true],
    ["auto", { TERM: "dumb" }, true, false],
    ["auto", { FORCE_COLOR: "1" }, false, true],
    ["auto", { FORCE_COLOR: "0" }, true, false],
    ["auto", { FORCE_COLOR: "1", NO_COLOR: "1" }, false, true],
    ["never", { FORCE_COLOR: "1" }, true, false],
    ["always", { NO_COLOR: "1" }, false, true],
  ] as const)("isColoured with --color %s, %j, terminal %j is %j", (choice, env, isTerminal, expected) => {
    expect(isColoured(choice, { env, isTerminal })).toBe(expected);
  });
});
