import { describe, expect, test } from "vitest";
import { readCount } from "../../../src/cli/input/read-count.ts";

describe("readCount", () => {
  test.each([
    ["0", 0],
    ["20", 20],
    [" 7 ", 7],
  ])("readCount reads %j", (text, count) => {
    expect(readCount(text, "--keep", { least: 0 })).toBe(count);
  });

  test.each(["", "-1", "1.5", "1e3", "0x10", "ten", "9999999999"])(
    "readCount refuses %j and shows how to write it",
    (text) => {
      expect(() => readCount(text, "--keep", { least: 0 })).toThrow(
        expect.objectContaining({ code: "usage", fix: expect.stringContaining("--keep 20") as string }),
      );
    },
  );

  test("readCount refuses what is less than the least", () => {
    expect(() => readCount("0", "--limit", { least: 1 })).toThrow("from 1 on");
  });
});
