import { cutBytes, isLeadByte } from "./utf8.ts";

/** Keeps the beginning and the end of a text that may be endless, in bounded memory, and counts what it drops. */
export class OutputKeeper {
  readonly #headBytes: number;
  readonly #tailBytes: number;
  readonly #head: Buffer[] = [];
  #headSize = 0;
  #isHeadFull = false;
  readonly #tail: Buffer[] = [];
  #tailSize = 0;
  #total = 0;

  constructor({ headBytes, tailBytes }: { readonly headBytes: number; readonly tailBytes: number }) {
    this.#headBytes = headBytes;
    this.#tailBytes = tailBytes;
  }

  add(text: string): void {
    const bytes = Buffer.from(text);
    this.#total += bytes.length;
    const rest = this.#isHeadFull ? bytes : bytes.subarray(this.#addToHead(bytes));
    if (rest.length > 0) this.#addToTail(rest);
  }

  /** What is kept. `omitted`: the bytes between head and tail; 0 if nothing was dropped. */
  read(): { readonly head: string; readonly omitted: number; readonly tail: string } {
    const head = Buffer.concat(this.#head);
    const all = Buffer.concat(this.#tail);
    let from = Math.max(0, all.length - this.#tailBytes);
    while (from < all.length && !isLeadByte(all[from] ?? 0)) from += 1;
    const tail = all.subarray(from);
    return { head: head.toString(), omitted: this.#total - head.length - tail.length, tail: tail.toString() };
  }

  #addToHead(bytes: Buffer): number {
    const taken = cutBytes(bytes, this.#headBytes - this.#headSize);
    this.#isHeadFull = taken.length < bytes.length;
    this.#headSize += taken.length;
    this.#head.push(taken);
    return taken.length;
  }

  /** Whole pieces are let go as soon as the later ones fill the tail. */
  #addToTail(bytes: Buffer): void {
    this.#tail.push(bytes);
    this.#tailSize += bytes.length;
    while (this.#tailSize - (this.#tail[0]?.length ?? 0) >= this.#tailBytes)
      this.#tailSize -= this.#tail.shift()?.length ?? 0;
    if (this.#tail.length > MOST_PIECES) this.#tail.splice(0, this.#tail.length, Buffer.concat(this.#tail));
  }
}

/** Output that comes a byte at a time would make a piece of every byte. */
const MOST_PIECES = 1024;
