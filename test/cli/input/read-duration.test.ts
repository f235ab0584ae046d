import { describe, expect, test } from "vitest";
import { readDuration } from "../../../src/cli/input/read-duration.ts";

describe("readDuration", () => {
  test.each([
    ["1ms", 1],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    [".5s", 500],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    [" 3s ", 3000],
  ])("readDuration reads %s", (text, ms) => {
    expect(readDuration(text, "--timeout")).toBe(ms);
  });

  test.each(["", "30", "s", "0s", "-1s", "1e3s", "1.s", "5 s", "25h", "2d", "99999999999999999999h", "30sec", "0.1ms"])(
    "readDuration refuses %j and shows how to write it",
    (text) => {
      expect(() => readDuration(text, "--timeout")).toThrow(
        expect.objectContaining({ code: "usage", fix: expect.stringContaining("--timeout 30s") as string }),
      );
    },
  );

  test("readDuration reads ages of many days where it is told how many", () => {
    expect(readDuration("30d", "--older-than", { longestDays: 100 })).toBe(30 * 86_400_000);
    expect(() => readDuration("101d", "--older-than", { longestDays: 100 })).toThrow(
      expect.objectContaining({
        message: expect.stringContaining("100d") as string,
        fix: expect.stringContaining("--older-than 30d") as string,
      }),
    );
  });
});
