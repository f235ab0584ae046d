import type { FlatRoot } from "./flatten-root.ts";

/** What the API accepts as the name of a property at the root of a tool's schema; it looks no deeper. */
const LEGAL = /^[a-zA-Z0-9_.-]{1,64}$/;

interface AliasedRoot {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: string[];
  /** Name on the wire → the author's, for the renamed ones only. */
  readonly originalNames: ReadonlyMap<string, string>;
}

/** Renames root properties that the API refuses. A function of the schema alone, so that reading back needs no state. */
export function aliasProperties({ properties, required }: FlatRoot): AliasedRoot {
  const names = Object.keys(properties);
  if (names.every((name) => LEGAL.test(name))) {
    return { properties, required: [...required], originalNames: new Map() };
  }
  const taken = new Set(names.filter((name) => LEGAL.test(name)));
  const wireNames = new Map(names.map((name) => [name, LEGAL.test(name) ? name : claimAlias(name, taken)]));
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [wireNames.get(name), schema])),
    required: required.map((name) => wireNames.get(name) ?? name),
    originalNames: new Map([...wireNames].filter(([name, wire]) => name !== wire).map(([name, wire]) => [wire, name])),
  };
}

function claimAlias(name: string, taken: Set<string>): string {
  const base = name.replaceAll(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 58) || "_";
  let alias = base;
  for (let count = 2; taken.has(alias); count += 1) alias = `${base}_${count}`;
  taken.add(alias);
  return alias;
}
