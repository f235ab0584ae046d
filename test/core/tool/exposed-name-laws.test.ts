import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalToolName, exposedToolName, isToolName, nearestNames } from "../../../src/core/tool/name.ts";

type Pair = readonly [server: string, raw: string];
const tricky = fc.oneof(
  fc.stringMatching(/^[aA_-]{0,5}$/),
  fc.stringMatching(/^[a_.9]{0,4}$/),
  fc.stringMatching(/^[ab]{28,34}[._-]?[ab]{0,2}$/),
  fc.string({ unit: "binary", maxLength: 80 }),
  fc.constantFrom("__proto__", "constructor", "K", "\u212A", "ı", "İ", "\uD800", "\\ud800"),
);
const pairs: fc.Arbitrary<Pair> = fc.tuple(tricky, tricky);
/** Every pair that somebody could choose to be taken for the tool of this name. */
function forgeries(name: string): readonly Pair[] {
  const forged: Pair[] = [];
  for (let at = 1; at < name.length - 2; at += 1) {
    if (!/^[_-]{2}/.test(name.slice(at))) continue;
    for (const spelled of [name, name.toUpperCase(), `${name.slice(0, -11)}-${name.slice(-10)}`])
      forged.push([spelled.slice(0, at), spelled.slice(at + 2)]);
  }
  return forged;
}

const isSamePair = ([server, raw]: Pair, [otherServer, otherRaw]: Pair): boolean =>
  canonicalToolName(server) === canonicalToolName(otherServer) &&
  canonicalToolName(raw) === canonicalToolName(otherRaw);

describe("exposedToolName", () => {
  test("NAM-01 exposedToolName is legal, at most 60 letters, and the same each time", () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom("always", "never"), ([server, raw], prefix) => {
        const name = exposedToolName(server, raw, { prefix });
        expect(isToolName(name)).toBe(true);
        expect(name.length).toBeLessThanOrEqual(60);
        expect(exposedToolName(server, raw, { prefix })).toBe(name);
      }),
      { numRuns: 500 },
    );
  });

  test("NAM-04 exposedToolName keeps two pairs apart, unless case and dashes alone tell them apart", () => {
    fc.assert(
      fc.property(pairs, pairs, (one, other) => {
        fc.pre(!isSamePair(one, other));
        expect(canonicalToolName(exposedToolName(...one))).not.toBe(canonicalToolName(exposedToolName(...other)));
      }),
      { numRuns: 2000 },
    );
  });

  test("NAM-04 exposedToolName keeps apart by spelling what case and dashes tell apart", () => {
    fc.assert(
      fc.property(pairs, pairs, (one, other) => {
        fc.pre(one[0] !== other[0] || one[1] !== other[1]);
        expect(exposedToolName(...one)).not.toBe(exposedToolName(...other));
      }),
      { numRuns: 2000 },
    );
  });

  test("NAM-04 exposedToolName gives nobody the name of another's tool, however the two names are chosen", () => {
    fc.assert(
      fc.property(pairs, (victim) => {
        const name = exposedToolName(...victim);
        for (const forged of forgeries(name)) {
          if (isSamePair(forged, victim)) continue;
          expect(canonicalToolName(exposedToolName(...forged))).not.toBe(canonicalToolName(name));
        }
      }),
      { numRuns: 500 },
    );
  });

  test("NAM-04 exposedToolName is not forged by a dash before the hash", () => {
    const victim = exposedToolName("a.b", "pay");
    const forged = exposedToolName("a_b", `pay-${victim.slice(-10)}`);
    expect(canonicalToolName(forged)).not.toBe(canonicalToolName(victim));
  });

  test("exposedToolName without a prefix keeps one server's tools apart", () => {
    fc.assert(
      fc.property(tricky, tricky, tricky, (server, one, other) => {
        fc.pre(canonicalToolName(one) !== canonicalToolName(other));
        const [left, right] = [one, other].map((raw) => exposedToolName(server, raw, { prefix: "never" }));
        expect(canonicalToolName(left ?? "")).not.toBe(canonicalToolName(right ?? ""));
        if (!isToolName(one)) expect(exposedToolName(server, left ?? "", { prefix: "never" })).not.toBe(left);
      }),
      { numRuns: 500 },
    );
  });
});

describe("nearestNames", () => {
  test("nearestNames gives candidates only, each once, at most as many as wanted, whatever the text", () => {
    fc.assert(
      fc.property(tricky, fc.array(tricky), fc.nat({ max: 5 }), (name, candidates, limit) => {
        const nearest = nearestNames(name, candidates, limit);
        expect(nearest.length).toBeLessThanOrEqual(limit);
        expect(new Set(nearest).size).toBe(nearest.length);
        expect(nearest.every((each) => candidates.includes(each))).toBe(true);
      }),
    );
  });

  test("nearestNames takes names of a hundred thousand letters among ten thousand candidates", () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `list_orders_${"x".repeat(at % 7)}${at}`);
    expect(nearestNames(`list_orders_4711${"y".repeat(100_000)}`, many, 3).length).toBeLessThanOrEqual(3);
    expect(nearestNames("list_orders_4712", [...many.slice(0, 4712), ...many.slice(4713)], 3)).toHaveLength(3);
    expect(
      nearestNames(
        "x",
        Array.from({ length: 10_000 }, (_, at) => `${"z".repeat(10_000)}${at}`),
        3,
      ),
    ).toEqual([]);
  });
});
