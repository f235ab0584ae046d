import { isRecord } from "../json.ts";

/** A node of a schema: an object of keywords, or a boolean. */
export type SchemaNode = Readonly<Record<string, unknown>> | boolean;

export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "boolean" || isRecord(value);
}

/** The references of a schema; a dynamic one is taken for what it says where it stands. */
export function refsOf({
  $ref: ref,
  $dynamicRef: dynamic,
  $recursiveRef: recursive,
}: Readonly<Record<string, unknown>>): readonly string[] {
  if (ref === undefined && dynamic === undefined && recursive === undefined) return NO_REFS;
  return [ref, dynamic, recursive].filter((each): each is string => typeof each === "string");
}

const NO_REFS: readonly string[] = [];

/** What a `$ref` within one document means: `#`, `#/a/pointer`, `#anchor` or the `$id` of a schema inside. Nothing is ever fetched. */
export function resolveRef(root: unknown, ref: string): SchemaNode | undefined {
  const hash = ref.indexOf("#");
  const base = hash > 0 ? ref.slice(0, hash) : hash === 0 ? "" : ref;
  const resource = base === "" ? root : findNode(root, (node) => hasId(node, base));
  if (resource === undefined) return undefined;
  const fragment = hash === -1 ? "" : ref.slice(hash + 1);
  if (fragment === "") return isSchemaNode(resource) ? resource : undefined;
  if (fragment.startsWith("/")) return nodeAt(resource, fragment);
  return findNode(resource, (node) => node["$anchor"] === fragment || node["$dynamicAnchor"] === fragment);
}

function hasId({ $id: id }: Readonly<Record<string, unknown>>, base: string): boolean {
  return typeof id === "string" && (id === base || id === `${base}#` || id.endsWith(`/${base}`));
}

function nodeAt(resource: unknown, fragment: string): SchemaNode | undefined {
  const pointer = decodeFragment(fragment);
  const node = pointer === undefined ? undefined : resolvePointer(resource, pointer);
  return isSchemaNode(node) ? node : undefined;
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** What a JSON Pointer (RFC 6901) points at; undefined if there is nothing. */
export function resolvePointer(root: unknown, pointer: string): unknown {
  let node = root;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, name)) return undefined;
    node = (node as Readonly<Record<string, unknown>>)[name]; // its own name, just looked up
  }
  return node;
}

/** How much of a document a search reads at most. */
const MAX_NODES = 100_000;

function findNode(
  root: unknown,
  isWanted: (node: Readonly<Record<string, unknown>>) => boolean,
): Readonly<Record<string, unknown>> | undefined {
  const open: unknown[] = [root];
  for (let seen = 0; open.length > 0 && seen < MAX_NODES; seen++) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isRecord(node) && isWanted(node)) return node;
    open.push(...Object.values(node));
  }
  return undefined;
}
