/** What is wrong with a text that is not one plain JSON text. */
export type JsonScan =
  | { readonly kind: "complete" }
  /** A proper prefix of some JSON text. */
  | { readonly kind: "cut"; readonly inside: string }
  | { readonly kind: "fault"; readonly at: number; readonly message: string }
  /** `path`: JSON Pointer of the object that names `key` twice. */
  | { readonly kind: "duplicate"; readonly key: string; readonly path: string };

/** Reads a text by the grammar of RFC 8259. Slow and without recursion: for a text that was refused already. */
export function scanJson(text: string): JsonScan {
  return new JsonScanner(text).scan();
}

interface OpenObject {
  readonly kind: "object";
  readonly names: Set<string>;
  name: string;
}
interface OpenArray {
  readonly kind: "array";
  index: number;
}

/** What may come next. `member`: a name; `value-or-end`, `member-or-end`: right after the opening bracket. */
type Expected = "value" | "value-or-end" | "member" | "member-or-end" | "colon" | "comma-or-end" | "nothing";

const WORDS = ["true", "false", "null"];
/** Any prefix of a number, taken as far as it goes. */
const NUMBER_PREFIX = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d*)?)?/y;
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

class JsonScanner {
  readonly #text: string;
  readonly #open: (OpenObject | OpenArray)[] = [];
  #at = 0;
  #expected: Expected = "value";

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonScan {
    for (;;) {
      this.#skipSpace();
      if (this.#at >= this.#text.length) return this.#atEnd();
      const stop = this.#step();
      if (stop) return stop;
    }
  }

  #atEnd(): JsonScan {
    if (this.#expected === "nothing") return { kind: "complete" };
    const open = this.#open.at(-1);
    return { kind: "cut", inside: open ? `inside an ${open.kind}` : "before its value" };
  }

  #skipSpace(): void {
    while (" \t\n\r".includes(this.#text.charAt(this.#at)) && this.#at < this.#text.length) this.#at++;
  }

  #step(): JsonScan | undefined {
    switch (this.#expected) {
      case "value":
        return this.#value();
      case "value-or-end":
        return this.#takes("]") ? this.#close() : this.#value();
      case "member":
        return this.#member();
      case "member-or-end":
        return this.#takes("}") ? this.#close() : this.#member();
      case "colon":
        if (!this.#takes(":")) return this.#fault('expected ":" after the name');
        this.#expected = "value";
        return undefined;
      case "comma-or-end":
        return this.#commaOrEnd();
      case "nothing":
        return this.#fault("more text after the end of the value");
    }
  }

  #value(): JsonScan | undefined {
    const char = this.#text.charAt(this.#at);
    if (this.#takes("{")) return this.#enter({ kind: "object", names: new Set(), name: "" }, "member-or-end");
    if (this.#takes("[")) return this.#enter({ kind: "array", index: 0 }, "value-or-end");
    if (char === '"') {
      const stop = this.#string();
      if (typeof stop !== "string") return stop;
      this.#closeValue();
      return undefined;
    }
    return /[-\d]/.test(char) ? this.#number() : this.#word();
  }

  #enter(open: OpenObject | OpenArray, expected: Expected): undefined {
    this.#open.push(open);
    this.#expected = expected;
    return undefined;
  }

  #close(): undefined {
    this.#open.pop();
    this.#closeValue();
    return undefined;
  }

  #closeValue(): void {
    this.#expected = this.#open.length === 0 ? "nothing" : "comma-or-end";
  }

  #commaOrEnd(): JsonScan | undefined {
    const open = this.#open.at(-1);
    if (open?.kind === "array") {
      if (this.#takes("]")) return this.#close();
      if (!this.#takes(",")) return this.#fault('expected "," or "]"');
      open.index++;
      this.#expected = "value";
      return undefined;
    }
    if (this.#takes("}")) return this.#close();
    if (!this.#takes(",")) return this.#fault('expected "," or "}"');
    this.#expected = "member";
    return undefined;
  }

  #member(): JsonScan | undefined {
    const open = this.#open.at(-1);
    if (this.#text.charAt(this.#at) !== '"') return this.#fault("expected a name in double quotes");
    const name = this.#string();
    if (typeof name !== "string") return name;
    if (open?.kind === "object") {
      if (open.names.has(name)) return { kind: "duplicate", key: name, path: this.#path() };
      open.names.add(name);
      open.name = name;
    }
    this.#expected = "colon";
    return undefined;
  }

  /** The string's value, or why there is none. */
  #string(): string | JsonScan {
    const start = this.#at;
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at);
      if (char === '"') {
        this.#at++;
        // the scanner accepted every character of it, so it is a JSON string
        return JSON.parse(this.#text.slice(start, this.#at)) as string;
      }
      if (char < " ") return this.#fault("a line break, tab or control character inside a string must be escaped");
      if (char !== "\\") continue;
      const stop = this.#escape();
      if (stop) return stop;
    }
    return { kind: "cut", inside: "inside a string" };
  }

  /** Leaves the place at the escape's last character. */
  #escape(): JsonScan | undefined {
    const [, digits] = /^\\(?:["\\/bfnrt]|u([\da-fA-F]{0,4}))/.exec(this.#text.slice(this.#at, this.#at + 6)) ?? [
      null,
      null,
    ];
    if (this.#at + 1 >= this.#text.length) {
      this.#at++;
      return undefined;
    }
    if (digits === null) return this.#fault("an unknown escape in a string");
    const length = digits === undefined ? 1 : 1 + digits.length;
    if (digits !== undefined && digits.length < 4 && this.#at + 1 + length < this.#text.length) {
      return this.#fault("an unknown escape in a string");
    }
    this.#at += length;
    if (digits !== undefined && digits.length < 4) this.#at = this.#text.length;
    return undefined;
  }

  #number(): JsonScan | undefined {
    NUMBER_PREFIX.lastIndex = this.#at;
    const [found = ""] = NUMBER_PREFIX.exec(this.#text) ?? [];
    const end = this.#at + found.length;
    if (WHOLE_NUMBER.test(found)) {
      this.#at = end;
      this.#closeValue();
      return undefined;
    }
    if (end >= this.#text.length) return { kind: "cut", inside: "inside a number" };
    this.#at = end;
    return this.#fault("a number that JSON does not know");
  }

  #word(): JsonScan | undefined {
    const rest = this.#text.slice(this.#at, this.#at + 5);
    for (const word of WORDS) {
      if (rest.startsWith(word)) {
        this.#at += word.length;
        this.#closeValue();
        return undefined;
      }
      if (word.startsWith(rest)) return { kind: "cut", inside: `inside the word ${word}` };
    }
    return this.#fault("expected a JSON value");
  }

  #takes(char: string): boolean {
    if (this.#text.charAt(this.#at) !== char) return false;
    this.#at++;
    return true;
  }

  #fault(message: string): JsonScan {
    return { kind: "fault", at: this.#at, message };
  }

  #path(): string {
    return this.#open
      .slice(0, -1)
      .map((open) => `/${open.kind === "array" ? open.index : escapePointer(open.name)}`)
      .join("");
  }
}

/** One step of a JSON Pointer. */
export function escapePointer(name: string): string {
  return name.includes("~") || name.includes("/") ? name.replaceAll("~", "~0").replaceAll("/", "~1") : name;
}
