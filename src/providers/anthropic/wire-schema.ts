import { isRecord } from "../../core/json.ts";
import type { ToolDescriptor } from "../../core/tool/descriptor.ts";
import { aliasProperties } from "./alias-properties.ts";
import { flattenRoot } from "./flatten-root.ts";
import type { AnthropicTool } from "./wire.ts";

/** The schema that the provider is shown, and how to read a property back that it could not be shown under its own name. */
export interface WireSchema {
  readonly schema: AnthropicTool["input_schema"];
  /** Name on the wire → the author's. Absent when no property had to be renamed. */
  readonly originalNames?: ReadonlyMap<string, string>;
}

const built = new WeakMap<ToolDescriptor, WireSchema>();

/**
 * A simplified copy of the author's schema, built once for each descriptor. The API answers 400 to the whole request for
 * one root without `type: "object"`, one combinator at a root, or one property name outside its pattern. What the copy
 * lets through and the author's schema does not is refused at dispatch, which checks by the author's.
 */
export function wireSchemaOf(tool: ToolDescriptor): WireSchema {
  const known = built.get(tool);
  if (known) return known;
  const wire = buildWireSchema(tool.inputSchema);
  built.set(tool, wire);
  return wire;
}

function buildWireSchema(author: unknown): WireSchema {
  const root = isRecord(author) ? flattenRoot(wellFormedJson(author)) : { properties: {}, required: [], rest: {} };
  const { properties, required, originalNames } = aliasProperties(root);
  const schema: AnthropicTool["input_schema"] = { type: "object", ...root.rest, properties };
  if (required.length > 0) schema.required = required;
  // Shared by every request: a write must fail and not follow the tool about.
  return { schema: Object.freeze(schema), ...(originalNames.size > 0 ? { originalNames } : {}) };
}

/**
 * The same value without lone surrogates, which the API refuses as invalid JSON. JSON.stringify writes exactly the lone
 * ones as `\ud…`, so one look at the text finds them; an even run of backslashes before it is text of the author's.
 */
function wellFormedJson(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(value);
  if (!LONE_SURROGATE.test(text)) return value;
  const clean: unknown = JSON.parse(text.replaceAll(new RegExp(LONE_SURROGATE, "g"), "$1\ufffd"));
  return isRecord(clean) ? clean : {};
}

const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/;
