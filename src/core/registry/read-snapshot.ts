import { clipText, isRecord } from "../json.ts";
import type { SourceStateName, ToolSource } from "./source.ts";
import { thrownText } from "./thrown-text.ts";

/** A snapshot as it was given, its members read once and copied. */
export interface GivenSnapshot {
  readonly tools: readonly unknown[];
  readonly hidden: readonly unknown[];
  readonly state: SourceStateName;
  readonly message: string | undefined;
}

/** A source's snapshot of now, or why there is none. Never throws. */
export function readSnapshot(source: ToolSource): { readonly given: GivenSnapshot } | { readonly failure: string } {
  try {
    const snapshot: unknown = source.list();
    if (!isRecord(snapshot)) return { failure: NO_SNAPSHOT };
    const { tools, hidden = [], state, message } = snapshot;
    if (!Array.isArray(tools) || !Array.isArray(hidden) || !isState(state)) return { failure: NO_SNAPSHOT };
    if (tools.length > MOST_TOOLS || hidden.length > MOST_TOOLS)
      return { failure: `its list has more than ${MOST_TOOLS} tools` };
    const text = typeof message === "string" ? clipText(message, 1000) : undefined;
    return { given: { tools: Array.from<unknown>(tools), hidden: Array.from<unknown>(hidden), state, message: text } };
  } catch (error) {
    return { failure: `its list failed: ${thrownText(error)}` };
  }
}

const NO_SNAPSHOT = "its list is not a snapshot: it must be { tools, state }";

/** Far more than any model could be sent; a list that pretends to be endless must not be walked. */
const MOST_TOOLS = 100_000;

function isState(value: unknown): value is SourceStateName {
  return value === "ready" || value === "starting" || value === "down";
}

/** Whether two snapshots hold the same things, by identity: also sees a list that was changed in place. */
export function isSameSnapshot(left: GivenSnapshot, right: GivenSnapshot): boolean {
  return (
    left.state === right.state &&
    left.message === right.message &&
    areSame(left.tools, right.tools) &&
    areSame(left.hidden, right.hidden)
  );
}

function areSame(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((item, at) => item === right[at]);
}
