import type { Readable } from "node:stream";
import { styleText } from "node:util";
import { type ColourChoice, isColoured } from "./colour-mode.ts";
import { visibleText } from "./visible-text.ts";

/** The streams and environment of the process, as the command line uses them. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutStream;
  readonly stderr: OutStream;
}

export interface OutStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly color: ColourChoice;
}

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
export type Paint = (style: Style, text: string) => string;

/** Data on stdout, words on stderr; with `--json` one document on stdout and nothing else there. */
export class Output {
  readonly json: boolean;
  readonly verbose: boolean;
  /** For stdout. */
  readonly paint: Paint;
  /** For stderr. */
  readonly paintWords: Paint;
  readonly #host: Host;
  readonly #quiet: boolean;
  #hasDocument = false;

  constructor(host: Host, { json, quiet, verbose, color }: OutputOptions) {
    this.#host = host;
    this.json = json;
    this.verbose = verbose;
    this.#quiet = quiet;
    this.paint = painter(host.stdout, host.env, color);
    this.paintWords = painter(host.stderr, host.env, color);
  }

  get isTerminal(): boolean {
    return this.#host.stdout.isTTY === true;
  }

  /** Columns of stdout's terminal, which some terminals give as 0; undefined where it is none, and nothing has to be clipped. */
  get width(): number | undefined {
    return this.isTerminal ? this.#host.stdout.columns || 80 : undefined;
  }

  /** The one JSON document: `"v": 1` and these members. */
  document(members: object): void {
    if (this.#hasDocument) throw new Error("a second JSON document");
    this.#hasDocument = true;
    this.#host.stdout.write(`${encodeDocument({ v: 1, ...members }, this.isTerminal ? 2 : 0)}\n`);
  }

  get hasDocument(): boolean {
    return this.#hasDocument;
  }

  /** A line of data that we laid out ourselves; what came from outside went through `visibleText` before. */
  line(text = ""): void {
    this.#host.stdout.write(`${text}\n`);
  }

  /** Text from outside, unchanged where it goes into a file or pipe; on a terminal it cannot command it. */
  raw(text: string): void {
    this.#host.stdout.write(this.isTerminal ? visibleText(text) : text);
  }

  /** Words for people; `-q` leaves them out. */
  words(text: string): void {
    if (!this.#quiet) this.#host.stderr.write(`${text}\n`);
  }

  /** Words that `-q` does not leave out: why it failed. */
  failure(text: string): void {
    this.#host.stderr.write(`${text}\n`);
  }
}

/** JSON that is safe to show: escapes stand for what a terminal would obey, so the document stays the same. */
export function encodeDocument(document: object, indent: number): string {
  // eslint-disable-next-line no-control-regex
  return JSON.stringify(document, undefined, indent).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    escape,
  );
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function painter(stream: OutStream, env: Host["env"], color: ColourChoice): Paint {
  if (!isColoured(color, { env, isTerminal: stream.isTTY === true })) return (_, text) => text;
  return (style, text) => styleText(style, text, { validateStream: false });
}
