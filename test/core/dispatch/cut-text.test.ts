import fc from "fast-check";
import { expect, test } from "vitest";
import { cutHead, cutTail, utf8Length } from "../../../src/core/dispatch/cut-text.ts";

const TEXT = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(fc.constantFrom("a", "ä", "€", "😀", "\n", "x\n"), { maxLength: 60 }).map((parts) => parts.join("")),
);

test("utf8Length is what an encoder says", () => {
  fc.assert(
    fc.property(TEXT, (text) => {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
    }),
  );
});

test("TRN-08 cutHead is a beginning and cutTail an end: whole characters, no longer than asked, as long as can be or up to a line", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(80), (text, most) => {
      const [head, tail] = [cutHead(text, most), cutTail(text, most)];
      expect(text.startsWith(head)).toBe(true);
      expect(text.endsWith(tail)).toBe(true);
      for (const part of [head, tail]) expect(utf8Length(part)).toBeLessThanOrEqual(most);
      if (text.isWellFormed()) for (const part of [head, tail]) expect(part.isWellFormed()).toBe(true);
      if (utf8Length(text) <= most) {
        // Nothing had to be cut; a line's end may still be where it stops.
        expect(head === text || head.endsWith("\n")).toBe(true);
      } else {
        expect(utf8Length(head) * 2 + 8).toBeGreaterThanOrEqual(most > 4 ? most - 4 : 0);
      }
    }),
    { numRuns: 2000 },
  );
});

test("TRN-08 cutHead and cutTail take the longest part that fits, or less than half less to end at a line", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(80), (text, most) => {
      const characters = Array.from(text);
      const longest = (from: readonly string[], join: (part: readonly string[]) => string): string => {
        let part = "";
        for (let count = 1; count <= from.length && utf8Length(join(from.slice(0, count))) <= most; count += 1)
          part = join(from.slice(0, count));
        return part;
      };
      const whole = longest(characters, (part) => part.join(""));
      const head = cutHead(text, most);
      expect(head === whole || (head.endsWith("\n") && head.length > whole.length / 2)).toBe(true);
      expect(whole.startsWith(head)).toBe(true);
      const rest = longest(characters.toReversed(), (part) => part.toReversed().join(""));
      const tail = cutTail(text, most);
      const before = text.slice(0, text.length - tail.length);
      expect(tail === rest || (before.endsWith("\n") && tail.length > rest.length / 2)).toBe(true);
      expect(rest.endsWith(tail)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
