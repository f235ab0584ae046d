import { describe, expect, test } from "vitest";
import { formatAge, formatBytes, formatCount } from "../../../src/cli/output/format-amount.ts";

const NOW = Date.UTC(2026, 0, 31, 12);
const SECOND = 1000;
const HOUR = 3600 * SECOND;

describe("formatAge", () => {
  test.each([
    [-HOUR, "now"],
    [0, "now"],
    [59 * SECOND, "now"],
    [60 * SECOND, "1 min ago"],
    [HOUR - 1, "59 min ago"],
    [HOUR, "1 h ago"],
    [24 * HOUR - 1, "23 h ago"],
    [24 * HOUR, "1 d ago"],
    [29 * 24 * HOUR, "29 d ago"],
    [30 * 24 * HOUR, "2026-01-01"],
  ])("formatAge of %d milliseconds is %s", (ms, shown) => {
    expect(formatAge(new Date(NOW - ms).toISOString(), NOW)).toBe(shown);
  });

  test("formatAge shows what is no time as it is", () => {
    expect(formatAge("yesterday", NOW)).toBe("yesterday");
  });
});

describe("formatBytes", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1.0 kB"],
    [9949, "9.9 kB"],
    [20_400, "20 kB"],
    [999_600, "1.0 MB"],
    [3e9, "3.0 GB"],
    [5e15, "5000 TB"],
  ])("formatBytes of %d is %s", (bytes, shown) => {
    expect(formatBytes(bytes)).toBe(shown);
  });
});

test("formatCount takes the noun that fits", () => {
  expect([0, 1, 2].map((count) => formatCount(count, "session"))).toEqual(["0 sessions", "1 session", "2 sessions"]);
  expect(formatCount(2, "entry", "entries")).toBe("2 entries");
});
