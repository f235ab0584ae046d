import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { ToolmapError } from "../core/errors.ts";
import { clipText, type JsonValue } from "../core/json.ts";

/** A value, and where each part of it stands. */
export interface ReadJsonc {
  readonly value: JsonValue;
  /** `file:line` of the part at `path`; undefined where there is none. */
  placeOf(path: readonly (string | number)[]): string | undefined;
}

/**
 * Reads JSON with comments and trailing commas. `file` is the name that places and messages show.
 * Throws `bad-config` with `file:line` for what is no JSON, for a name given twice, and for nesting that is too deep.
 */
export function readJsonc(text: string, { file }: { readonly file: string }): ReadJsonc {
  const source = text.replace(/^\uFEFF/, "");
  const placeAt = (offset: number): string => `${file}:${lineOf(source, offset)}`;
  const fail: Fail = (offset, problem) => {
    const place = placeAt(offset);
    throw new ToolmapError("bad-config", `Cannot read "${file}": ${problem}.`, { source: place });
  };
  const root = parse(source, fail);
  return {
    value: valueOf(root, fail),
    placeOf(path) {
      const node = findNodeAtLocation(root, [...path]);
      return node && placeAt(node.offset);
    },
  };
}

type Fail = (offset: number, problem: string) => never;

function parse(source: string, fail: Fail): Node {
  const errors: ParseError[] = [];
  const root = deepEnough(() => parseTree(source, errors, { allowTrailingComma: true }), fail);
  const [first] = errors;
  if (first) return fail(first.offset, describe(printParseErrorCode(first.error)));
  return root ?? fail(0, "it is empty");
}

/** The parser and the walk below call themselves once a level: a file that is all brackets ends as a sentence. */
function deepEnough<T>(work: () => T, fail: Fail): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return fail(0, "it is nested too deeply");
    throw error;
  }
}

function valueOf(root: Node, fail: Fail): JsonValue {
  return deepEnough(() => convert(root, fail), fail);
}

function convert(node: Node, fail: Fail): JsonValue {
  switch (node.type) {
    case "array":
      return (node.children ?? []).map((item) => convert(item, fail));
    case "object":
      return convertObject(node, fail);
    case "number":
      return Number.isFinite(node.value) ? Number(node.value) : fail(node.offset, "the number is too large");
    default:
      return node.value as JsonValue; // the parser gives text, a boolean or null for every other kind
  }
}

/** `fromEntries` defines each member as the object's own, `__proto__` too. */
function convertObject(node: Node, fail: Fail): JsonValue {
  const members = new Map<string, JsonValue>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    if (!key || !value) continue;
    const name = String(key.value);
    if (members.has(name)) fail(key.offset, `"${clipText(name, 60)}" is given twice in the same object`);
    members.set(name, convert(value, fail));
  }
  return Object.fromEntries(members);
}

function lineOf(source: string, offset: number): number {
  let line = 1;
  for (let at = source.indexOf("\n"); at !== -1 && at < offset; at = source.indexOf("\n", at + 1)) line += 1;
  return line;
}

function describe(code: string): string {
  return PROBLEMS.get(code) ?? "it is not JSON";
}

/** What the parser expected where it stopped. */
const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ["InvalidSymbol", "a value is expected here; text stands in double quotes"],
  ["InvalidNumberFormat", "this is not a number"],
  ["PropertyNameExpected", "a name in double quotes is expected here"],
  ["ValueExpected", "a value is expected here"],
  ["ColonExpected", "a colon is expected here"],
  ["CommaExpected", "a comma is expected here"],
  ["CloseBraceExpected", "a closing brace } is expected here"],
  ["CloseBracketExpected", "a closing bracket ] is expected here"],
  ["EndOfFileExpected", "the end of the file is expected here"],
  ["InvalidCommentToken", "comments are written // or /* */"],
  ["UnexpectedEndOfComment", "a comment is not closed"],
  ["UnexpectedEndOfString", "a text is not closed"],
  ["UnexpectedEndOfNumber", "a number is not complete"],
  ["InvalidUnicode", "this \\u escape needs four hexadecimal digits"],
  ["InvalidEscapeCharacter", "this escape is not known in JSON"],
  ["InvalidCharacter", "a control character stands in a text; write it as an escape"],
]);
