import { isRecord } from "../json.ts";
import { resolveRef } from "./resolve-ref.ts";

/** How many ways through unions and references a check of one value may take. */
const MAX_WAYS = 10_000;

/**
 * Why a check of a single value could not end, or not in time: references that lead back to themselves without going deeper into
 * the value, and unions of unions that multiply. Undefined for a schema that is fine.
 */
export function findEndlessRef(root: Readonly<Record<string, unknown>>): string | undefined {
  const walk: Walk = { root, ways: new Map() };
  for (const node of nodesOf(root)) {
    const ways = countWays(walk, node);
    if (ways === Infinity) return "its references lead back to themselves without end";
    if (ways > MAX_WAYS) return `its unions multiply to more than ${MAX_WAYS} ways to check one value`;
  }
  return undefined;
}

interface Walk {
  readonly root: Readonly<Record<string, unknown>>;
  /** Infinity while a node's ways are being counted: who meets it there goes round in a circle. */
  readonly ways: Map<object, number>;
}

function countWays(walk: Walk, node: unknown): number {
  if (!isRecord(node)) return 1;
  const known = walk.ways.get(node);
  if (known !== undefined) return known;
  walk.ways.set(node, Infinity);
  let ways = 1;
  for (const next of sameValueSchemas(walk, node)) ways += countWays(walk, next);
  walk.ways.set(node, ways);
  return ways;
}

/** The schemas that apply to the same value as this one. */
function sameValueSchemas({ root }: Walk, node: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { $ref: ref, dependentSchemas } = node;
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword): readonly unknown[] => {
    const list = node[keyword];
    return Array.isArray(list) ? list : [];
  });
  const single = ["not", "if", "then", "else"].map((keyword) => node[keyword]);
  const dependents = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : [];
  return [...(typeof ref === "string" ? [resolveRef(root, ref)] : []), ...lists, ...single, ...dependents];
}

function nodesOf(root: unknown): readonly object[] {
  const found: object[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (!Array.isArray(node)) found.push(node);
    open.push(...Object.values(node));
  }
  return found;
}
