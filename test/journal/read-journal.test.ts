import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJournal } from "../../src/journal/read-journal.ts";
import { linesOf, numbersIn, writtenLines } from "./written.ts";

const COUNT = 12;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe("damage", async () => {
  const lines = await writtenLines(COUNT, 5);

  test("readJournal loses exactly the lines that are no JSON any more, wherever they are", () => {
    const damage = fc.uniqueArray(fc.nat(COUNT - 1), { maxLength: COUNT });
    fc.assert(
      fc.property(damage, fc.nat(), fc.constantFrom(0, 1, 0x80, 0xff), (damaged, place, byte) => {
        const bytes = lines.map((line, index) => {
          if (!damaged.includes(index)) return line;
          const copy = Buffer.from(line);
          copy[place % (line.length - 1)] = byte;
          return copy;
        });
        const read = readJournal(Buffer.concat(bytes));
        expect(read.lines.map(({ value }) => value["number"])).toEqual(
          upTo(COUNT).filter((number) => !damaged.includes(number - 1)),
        );
        expect(read.problems.map(({ line }) => line)).toEqual(damaged.map((index) => index + 1).sort((a, b) => a - b));
      }),
    );
  });

  test("readJournal loses exactly the line in which a byte became another one, whatever the line then says", () => {
    const index = fc.nat(COUNT - 3);
    fc.assert(
      fc.property(index, fc.nat(), fc.integer({ min: 1, max: 255 }), (index, place, flip) => {
        const line = Buffer.from(lines[index] ?? "");
        const at = place % (line.length - 1);
        line[at] = (line[at] ?? 0) ^ flip;
        fc.pre(line[at] !== 10);
        const read = readJournal(Buffer.concat(lines.with(index, line)));
        expect(read.lines.map(({ value }) => value["number"])).toEqual(
          upTo(COUNT).filter((number) => number !== index + 1),
        );
        expect(read.problems).toMatchObject([{ kind: "damaged-line", line: index + 1, bytes: line.length - 1 }]);
        expect(read.problems[0]?.offset).toBe(Buffer.concat(lines.slice(0, index)).length);
      }),
      { numRuns: 500 },
    );
  });

  test("readJournal tells a changed line from its neighbours when the line after next is unreadable", () => {
    const changed = lines.map((line, index) =>
      index === 1 ? Buffer.from(String(line).replace("entry", "ENTRY")) : line,
    );
    expect(numbersIn(Buffer.concat(changed.with(3, Buffer.from("@\n"))))).toEqual([1, 3, ...upTo(COUNT).slice(4)]);
  });

  test("readJournal reads any bytes without failing", () => {
    const piece = fc.oneof(
      fc.constantFrom(...lines),
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      fc.jsonValue().map((value) => Buffer.from(`${JSON.stringify(value)}\n`)),
      fc
        .record({ v: fc.nat(3), n: fc.nat(), fence: fc.nat(), at: fc.string(), prev: fc.string() })
        .map((value) => Buffer.from(`${JSON.stringify({ ...value, type: "x", session: "s1" })}\n`)),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const bytes = Buffer.concat(pieces);
        const read = readJournal(bytes);
        expect(read.end).toBeLessThanOrEqual(bytes.length);
        expect(read.lines.length + read.problems.length).toBeGreaterThanOrEqual(bytes.length > 0 ? 1 : 0);
      }),
      { numRuns: 500 },
    );
  });
});

describe("fences", () => {
  const inChain = (fence: number, number: number, previous: string, text: string): string =>
    `{"v":1,"n":${number},"fence":${fence},"at":"t","prev":"${previous}","type":"note","session":"s1","number":"${text}"}\n`;

  async function taken(): Promise<{ lines: string[]; hash: (count: number) => string }> {
    const lines = (await writtenLines(4)).map(String);
    const hash = (count: number): string => readJournal(Buffer.from(lines.slice(0, count).join(""))).head.hash;
    return { lines, hash };
  }

  test("readJournal ignores and reports what a former owner wrote after a new one had written", async () => {
    const { lines, hash } = await taken();
    const bytes = [...lines, inChain(2, 5, hash(4), "new"), inChain(1, 5, hash(4), "late"), inChain(0, 1, "x", "lost")];
    const read = readJournal(Buffer.from(bytes.join("")));
    expect(numbersIn(Buffer.from(bytes.join("")))).toEqual([1, 2, 3, 4, "new"]);
    expect(read.problems).toMatchObject([
      { kind: "stale-fence", line: 6 },
      { kind: "stale-fence", line: 7 },
    ]);
    expect(read).toMatchObject({ fence: 2, head: { number: 5 } });
  });

  test("readJournal ignores what a former owner wrote between the new one's reading and its first line", async () => {
    const { lines, hash } = await taken();
    const bytes = Buffer.from([...lines, inChain(2, 3, hash(2), "new")].join(""));
    expect(numbersIn(bytes)).toEqual([1, 2, "new"]);
    expect(readJournal(bytes).problems).toMatchObject([
      { kind: "stale-fence", line: 3 },
      { kind: "stale-fence", line: 4 },
    ]);
  });

  test("readJournal is not taken in by a fence that damage raised", async () => {
    const lines = (await writtenLines(6)).map(String);
    const raised = lines.map((line, index) => (index === 2 ? line.replace('"fence":1', '"fence":9') : line)).join("");
    expect(numbersIn(Buffer.from(raised))).toEqual([1, 2, 4, 5, 6]);
  });
});

test("readJournal keeps the lines of a newer version in the chain, reports them and does not read them", async () => {
  const lines = (await writtenLines(2)).map(String);
  const { head } = readJournal(Buffer.from(lines.join("")));
  lines.push(`{"v":2,"n":3,"fence":1,"at":"t","prev":"${head.hash}","what":"ever"}\n`);
  const read = readJournal(Buffer.from(lines.join("")));
  expect(read.problems).toMatchObject([{ kind: "newer-version", line: 3 }]);
  expect(read.head.number).toBe(3);
  expect(read.lines).toHaveLength(2);
  expect(linesOf(Buffer.from(lines.join("")))).toHaveLength(3);
});
