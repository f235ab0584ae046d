import { countCharacters, cutBytes, decodeUtf8, hasByteOrderMark, isLeadByte } from "./utf8.ts";

/** Where a page begins, counted from 1 (`column` in characters of the first line), and how much it may hold. */
export interface PageRequest {
  readonly offset: number;
  readonly column: number;
  readonly limit: number;
  readonly maxBytes: number;
}

/** Numbered lines, or why there are none. `next` is where the following page begins; absent at the end. */
export type Page =
  | {
      readonly kind: "lines";
      readonly text: string;
      readonly lastLine: number;
      readonly next: { readonly offset: number; readonly column?: number } | undefined;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "past-end"; readonly lines: number }
  | { readonly kind: "past-line"; readonly line: number; readonly characters: number }
  | { readonly kind: "not-text"; readonly line: number };

/** Reads one page and no further. Memory is bounded by the page, however long the text or a line of it. */
export async function readPage(chunks: AsyncIterable<Buffer>, request: PageRequest): Promise<Page> {
  const builder = new PageBuilder(request);
  let isFirst = true;
  for await (const chunk of chunks) {
    const bytes = isFirst && hasByteOrderMark(chunk) ? chunk.subarray(3) : chunk;
    isFirst = false;
    const page = builder.push(bytes);
    if (page) return page;
  }
  return builder.finish();
}

/** How many lines there are; a last one without a line end counts. */
export async function countLines(chunks: AsyncIterable<Buffer>): Promise<number> {
  let lines = 0;
  let last = NEWLINE;
  for await (const chunk of chunks) {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    last = chunk.at(-1) ?? last;
  }
  return last === NEWLINE ? lines : lines + 1;
}

const NEWLINE = 0x0a;

class PageBuilder {
  readonly #request: PageRequest;
  readonly #rows: string[] = [];
  /** The number of the line that the next byte belongs to, and whether it has a byte yet. */
  #line = 1;
  #hasBegun = false;
  #skipped = 0;
  #isAtColumn: boolean;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #room: number;

  constructor(request: PageRequest) {
    this.#request = request;
    this.#room = request.maxBytes;
    this.#isAtColumn = request.column === 1;
  }

  /** Takes the next bytes; returns the page once it is complete. */
  push(chunk: Buffer): Page | undefined {
    for (let at = 0; at < chunk.length;) {
      if (this.#rows.length === this.#request.limit) return this.#page({ offset: this.#line });
      if (this.#line < this.#request.offset) at = this.#skipLine(chunk, at);
      else if (!this.#isAtColumn) at = this.#skipToColumn(chunk, at);
      else at = this.#collect(chunk, at);
      if (this.#pendingBytes + this.#prefix.bytes > this.#room) return this.#overflow();
      if (at < chunk.length && chunk[at] === NEWLINE && this.#line >= this.#request.offset) {
        const problem = this.#endLine();
        if (problem) return problem;
        at += 1;
      }
    }
    return undefined;
  }

  /** The last page: the bytes have ended. */
  finish(): Page {
    const lines = this.#hasBegun ? this.#line : this.#line - 1;
    if (lines === 0 && this.#request.offset === 1) return { kind: "empty" };
    if (this.#request.offset > lines) return { kind: "past-end", lines };
    const problem = this.#hasBegun ? this.#endLine() : undefined;
    return problem ?? this.#page(undefined);
  }

  #skipLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(NEWLINE, at);
    this.#hasBegun = end === -1;
    if (end === -1) return chunk.length;
    this.#line += 1;
    return end + 1;
  }

  #skipToColumn(chunk: Buffer, start: number): number {
    this.#hasBegun = true;
    let at = start;
    for (; at < chunk.length && chunk[at] !== NEWLINE; at += 1) {
      if (!isLeadByte(chunk[at] ?? 0)) continue;
      if (this.#skipped === this.#request.column - 1) {
        this.#isAtColumn = true;
        break;
      }
      this.#skipped += 1;
    }
    return at;
  }

  #collect(chunk: Buffer, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at);
    const end = newline === -1 ? chunk.length : newline;
    this.#hasBegun = true;
    // A copy: the chunk's memory is used again.
    this.#pending.push(Buffer.from(chunk.subarray(at, end)));
    this.#pendingBytes += end - at;
    return end;
  }

  #endLine(): Page | undefined {
    if (!this.#isAtColumn && this.#skipped < this.#request.column - 1) {
      return { kind: "past-line", line: this.#line, characters: this.#skipped };
    }
    this.#isAtColumn = true;
    const text = decodeUtf8(Buffer.concat(this.#pending));
    if (text === undefined) return { kind: "not-text", line: this.#line };
    this.#rows.push(this.#prefix.text + text.replace(/\r$/, ""));
    this.#room -= this.#prefix.bytes + this.#pendingBytes + 1;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#line += 1;
    this.#hasBegun = false;
    return undefined;
  }

  /** The line does not fit: it begins the next page, or is sliced if it fits no page. */
  #overflow(): Page {
    if (this.#rows.length > 0) return this.#page({ offset: this.#line });
    const slice = cutBytes(Buffer.concat(this.#pending), this.#room - this.#prefix.bytes);
    const text = decodeUtf8(slice);
    if (text === undefined || slice.length === 0) return { kind: "not-text", line: this.#line };
    this.#rows.push(this.#prefix.text + text);
    const column = this.#request.column + countCharacters(slice);
    return { kind: "lines", text: this.#rows.join("\n"), lastLine: this.#line, next: { offset: this.#line, column } };
  }

  #page(next: { readonly offset: number } | undefined): Page {
    return { kind: "lines", text: this.#rows.join("\n"), lastLine: this.#line - 1, next };
  }

  get #prefix(): { readonly text: string; readonly bytes: number } {
    const text = `${this.#line}→`;
    return { text, bytes: text.length + 2 };
  }
}
