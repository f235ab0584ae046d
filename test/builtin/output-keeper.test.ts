import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OutputKeeper } from "../../src/builtin/output-keeper.ts";

test("OutputKeeper keeps a whole short text, and of a long one the beginning, the end and the size of the gap", () => {
  const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 40 });
  fc.assert(
    fc.property(pieces, (texts) => {
      const keeper = new OutputKeeper({ headBytes: 50, tailBytes: 100 });
      for (const text of texts) keeper.add(text);
      const whole = texts.join("");
      const { head, omitted, tail } = keeper.read();
      expect(whole.startsWith(head)).toBe(true);
      expect(whole.endsWith(tail)).toBe(true);
      expect(Buffer.byteLength(head) + omitted + Buffer.byteLength(tail)).toBe(Buffer.byteLength(whole));
      if (omitted > 0) expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeGreaterThan(140);
      if (omitted > 0) expect(Buffer.byteLength(whole)).toBeGreaterThan(140);
    }),
  );
});

test("OutputKeeper holds output that comes a byte at a time", () => {
  const keeper = new OutputKeeper({ headBytes: 10, tailBytes: 2000 });
  for (let index = 0; index < 50_000; index += 1) keeper.add(String(index % 10));
  expect(keeper.read()).toMatchObject({ head: "0123456789", omitted: 50_000 - 2010, tail: "0123456789".repeat(200) });
});
