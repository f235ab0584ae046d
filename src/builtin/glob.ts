import { ToolFailure, quote } from "./tool-failure.ts";

/** A compiled glob. Matching takes time in proportion to pattern times path, never more. */
export interface Glob {
  /** `path` is relative to where the search starts, with slashes. */
  matches(path: string): boolean;
  /** Whether it names an entry that begins with a dot. */
  readonly namesHidden: boolean;
  /** The names in it that stand for themselves. */
  readonly names: ReadonlySet<string>;
}

/**
 * `*` any characters of a name, `?` one, `**` any folders, `{a,b}` either; all else stands for itself, brackets too.
 * A pattern without a slash is looked for in every folder. Throws a ToolFailure for one that cannot be used.
 */
export function compileGlob(pattern: string): Glob {
  const alternatives = expandBraces(pattern).map(compileAlternative);
  const segments = alternatives.flat();
  return {
    matches: (path) => {
      const parts = path.split("/").map((part) => Array.from(part));
      return alternatives.some((alternative) => matchesInOrder(alternative, parts, GLOB_SEGMENTS));
    },
    namesHidden: segments.some((segment) => segment[0] === "."),
    names: new Set(
      segments.filter((segment) => !segment.includes("*") && !segment.includes("?")).map((segment) => segment.join("")),
    ),
  };
}

/** A segment by its characters; a lone "**" stands for any number of segments. */
type Segment = readonly string[];

const ANY_FOLDERS: Segment = Object.freeze(["*", "*"]);

function compileAlternative(pattern: string): readonly Segment[] {
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const segments = names.map((name) => (name === "**" ? ANY_FOLDERS : Array.from(name)));
  return names.length === 1 && !pattern.startsWith("/") ? [ANY_FOLDERS, ...segments] : segments;
}

/** What a wildcard is, and what else an element of the pattern fits. */
interface Elements<P, T> {
  readonly isWild: (element: P) => boolean;
  readonly fits: (element: P, item: T) => boolean;
}

const GLOB_CHARACTERS: Elements<string, string> = {
  isWild: (character) => character === "*",
  fits: (character, item) => character === "?" || character === item,
};

const GLOB_SEGMENTS: Elements<Segment, Segment> = {
  isWild: (segment) => segment === ANY_FOLDERS,
  fits: (segment, part) => matchesInOrder(segment, part, GLOB_CHARACTERS),
};

/** On a misfit only the last wildcard takes one item more: earlier ones never need to. */
function matchesInOrder<P, T>(pattern: readonly P[], items: readonly T[], { isWild, fits }: Elements<P, T>): boolean {
  let at = 0;
  let wildAt = -1;
  let wildEnd = 0;
  for (let index = 0; index < items.length;) {
    const element = pattern[at];
    if (element !== undefined && isWild(element)) {
      wildAt = at;
      wildEnd = index;
      at += 1;
    } else if (element !== undefined && fits(element, items[index] as T)) {
      at += 1;
      index += 1;
    } else if (wildAt !== -1) {
      wildEnd += 1;
      index = wildEnd;
      at = wildAt + 1;
    } else return false;
  }
  return pattern.slice(at).every(isWild);
}

const MOST_ALTERNATIVES = 256;
const LONGEST_PATTERN = 1000;

function expandBraces(pattern: string): readonly string[] {
  if (pattern === "" || pattern.length > LONGEST_PATTERN) {
    throw new ToolFailure(
      `Cannot use ${quote(pattern)} as a file pattern: it must have 1 to ${LONGEST_PATTERN} characters.`,
    );
  }
  let expanded = [pattern];
  for (let next = expandOnce(expanded); next; next = expandOnce(expanded)) {
    if (next.length > MOST_ALTERNATIVES) {
      throw new ToolFailure(
        `Cannot use ${quote(pattern)} as a file pattern: it stands for more than ${MOST_ALTERNATIVES} patterns.`,
      );
    }
    expanded = next;
  }
  return expanded;
}

/** Expands the innermost braces of each pattern; undefined if none has any. */
function expandOnce(patterns: readonly string[]): string[] | undefined {
  if (!patterns.some((pattern) => INNERMOST.test(pattern))) return undefined;
  return patterns.flatMap((pattern) => {
    const found = INNERMOST.exec(pattern);
    if (!found) return [pattern];
    const [whole, inner = ""] = found;
    const after = pattern.slice(found.index + whole.length);
    return inner.split(",").map((choice) => pattern.slice(0, found.index) + choice + after);
  });
}

/** Braces without a comma stand for themselves. */
const INNERMOST = /\{([^{},]*(?:,[^{},]*)+)\}/;
