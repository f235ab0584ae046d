import { isUtf8 } from "node:buffer";
import { followChain } from "./follow-chain.ts";
import { FORMAT_VERSION, NO_LINE, parseLine, type JournalLine, type RawLine } from "./journal-line.ts";
import type { Problem, ProblemKind } from "./problem.ts";

/** The end of the chain: where the next line goes on. */
export interface Head {
  readonly number: number;
  readonly hash: string;
}

export interface ReadJournal {
  /** What stands, in order: whole, of a known version, by the writer that had the session. */
  readonly lines: readonly JournalLine[];
  /** The same with the lines of a newer version: what is linked. */
  readonly chain: readonly JournalLine[];
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  readonly head: Head;
  /** The highest that a line carries; 0 in an empty journal. */
  readonly fence: number;
  /** Where a torn tail begins; the size of the file when it has none. */
  readonly end: number;
  readonly size: number;
}

/** Reads a journal's bytes, whatever they are. Nothing in them makes it fail. */
export function readJournal(bytes: Uint8Array): ReadJournal {
  const { whole, broken, end } = splitJournal(bytes);
  const chain = followChain(
    whole,
    broken.map(({ raw }) => raw),
  );
  const newer = chain.lines.filter(({ version }) => version !== FORMAT_VERSION);
  const problems = [
    ...chain.problems,
    ...newer.map(newerProblem),
    ...broken.map(({ raw, kind }) => brokenProblem(raw, kind)),
  ];
  const last = chain.lines.at(-1);
  return {
    lines: newer.length === 0 ? chain.lines : chain.lines.filter(({ version }) => version === FORMAT_VERSION),
    chain: chain.lines,
    problems: problems.sort((left, right) => left.offset - right.offset),
    head: last ? { number: last.number, hash: last.hash } : { number: 0, hash: NO_LINE },
    fence: chain.fence,
    end,
    size: bytes.length,
  };
}

interface BrokenLine {
  readonly raw: RawLine;
  readonly kind: "torn-tail" | "damaged-line";
}

function splitJournal(source: Uint8Array): { whole: JournalLine[]; broken: BrokenLine[]; end: number } {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const isText = isUtf8(bytes);
  const whole: JournalLine[] = [];
  const broken: BrokenLine[] = [];
  let tail: RawLine[] = [];
  for (const raw of eachLine(bytes)) {
    const end = raw.offset + raw.bytes;
    const isLineText = isText || isUtf8(bytes.subarray(raw.offset, end));
    const line = isLineText ? parseLine(raw, bytes.toString("utf8", raw.offset, end)) : "no-json";
    if (line === "no-json" || !raw.isEnded) {
      tail.push(raw);
      continue;
    }
    for (const each of tail) broken.push({ raw: each, kind: "damaged-line" });
    if (tail.length > 0) tail = [];
    if (line === "no-line") broken.push({ raw, kind: "damaged-line" });
    else whole.push(line);
  }
  for (const raw of tail) broken.push({ raw, kind: "torn-tail" });
  return { whole, broken, end: tail[0]?.offset ?? bytes.length };
}

function* eachLine(bytes: Buffer): Generator<RawLine> {
  let offset = 0;
  for (let line = 1; offset < bytes.length; line += 1) {
    const newline = bytes.indexOf(NEWLINE, offset);
    const end = newline === -1 ? bytes.length : newline;
    yield { line, offset, bytes: end - offset, isEnded: newline !== -1 };
    offset = end + 1;
  }
}

const NEWLINE = 10;

function brokenProblem(raw: RawLine, kind: ProblemKind): Problem {
  const message =
    kind === "torn-tail"
      ? `Line ${raw.line} is the beginning of a write that was cut off. It was never confirmed, and is ignored.`
      : `Line ${raw.line} is no line of a journal. It is skipped.`;
  return { kind, line: raw.line, offset: raw.offset, bytes: raw.bytes, message };
}

function newerProblem(line: JournalLine): Problem {
  const message = `Line ${line.line} is of version ${line.version} of the format; this version reads up to ${FORMAT_VERSION}.`;
  return { kind: "newer-version", line: line.line, offset: line.offset, bytes: line.bytes, message };
}
