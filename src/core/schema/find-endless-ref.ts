import { isRecord } from "../json.ts";
import { refsOf, resolveRef } from "./resolve-ref.ts";

/** How many ways through unions and references a check may take without being watched. */
const MAX_WAYS = 10_000;

/**
 * Why a check of a single value could not end, or not in time: references that lead back to themselves without going deeper into
 * the value, and unions of unions that multiply. Undefined for a schema that is fine.
 */
export function findEndlessRef(root: Node): string | undefined {
  const walk: Walk = { root, next: schemasOfSameValue, ways: new Map() };
  for (const node of nodesOf(root)) {
    const ways = countWays(walk, node);
    if (ways === Infinity) return "its references lead back to themselves without end";
    if (ways > MAX_WAYS) return `its unions multiply to more than ${MAX_WAYS} ways to check one value`;
  }
  return undefined;
}

/** Whether the work of a check may grow faster than the value: schemas that recur, or that references multiply. */
export function mayMultiply(root: Node): boolean {
  if (!nodesOf(root).some((node) => refsOf(node).length > 0)) return false;
  return countWays({ root, next: schemasOfMembersToo, ways: new Map() }, root) > MAX_WAYS;
}

type Node = Readonly<Record<string, unknown>>;

interface Walk {
  readonly root: Node;
  next(root: Node, node: Node): readonly unknown[];
  /** Infinity while a node's ways are being counted: who meets it there goes round in a circle. */
  readonly ways: Map<object, number>;
}

function countWays(walk: Walk, node: unknown): number {
  if (!isRecord(node)) return 1;
  const known = walk.ways.get(node);
  if (known !== undefined) return known;
  walk.ways.set(node, Infinity);
  let ways = 1;
  for (const next of walk.next(walk.root, node)) ways += countWays(walk, next);
  walk.ways.set(node, ways);
  return ways;
}

/** The schemas that apply to the same value as this one. */
function schemasOfSameValue(root: Node, node: Node): readonly unknown[] {
  const lists = ["allOf", "anyOf", "oneOf"].flatMap((keyword): readonly unknown[] => {
    const list = node[keyword];
    return Array.isArray(list) ? list : [];
  });
  const single = ["not", "if", "then", "else"].map((keyword) => node[keyword]);
  const dependents = isRecord(node["dependentSchemas"]) ? Object.values(node["dependentSchemas"]) : [];
  return [...targetsOf(root, node), ...lists, ...single, ...dependents];
}

/** Everything inside, and what it refers to. Definitions that nothing refers to count too, which does no harm. */
function schemasOfMembersToo(root: Node, node: Node): readonly unknown[] {
  const inside = Object.values(node).flatMap((value): readonly unknown[] => (Array.isArray(value) ? value : [value]));
  return [...targetsOf(root, node), ...inside];
}

function targetsOf(root: Node, node: Node): readonly unknown[] {
  return refsOf(node).map((ref) => resolveRef(root, ref));
}

function nodesOf(root: unknown): readonly Node[] {
  const found: Node[] = [];
  const open: unknown[] = [root];
  for (let seen = 0; open.length > 0 && seen < MAX_NODES; seen++) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isRecord(node)) found.push(node);
    open.push(...Object.values(node));
  }
  return found;
}

const MAX_NODES = 100_000;
