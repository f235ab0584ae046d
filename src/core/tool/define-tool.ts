import { ToolmapError } from "../errors.ts";
import { clipText, freezeJson, isRecord, type JsonObject } from "../json.ts";
import {
  standardValidatorOf,
  toJsonSchema,
  type InputOf,
  type JsonOf,
  type OutputOf,
} from "../schema/author-schema.ts";
import { copyPlain, NOT_PLAIN } from "../schema/plain-copy.ts";
import type { SchemaSide } from "../schema/find-schema-fault.ts";
import type { Availability } from "./availability.ts";
import type { Content } from "./content.ts";
import type { ToolAnnotations, ToolDescriptor } from "./descriptor.ts";
import { isToolName } from "./name.ts";
import type { CallRecord, ResourceKey } from "./result.ts";
import { AUTHOR_VALIDATE, type AgentTool, type ToolContext } from "./tool.ts";

/** What an author writes. S: the schema of the input, O: of the output, A: the program's own `context.app`. */
export interface ToolDefinition<S, O, A> {
  /** Letters, digits, `_` and `-`; not first a digit or `-`; at most 64. */
  readonly name: string;
  readonly title?: string;
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** A Standard Schema (zod, arktype; valibot by `toStandardJsonSchema`), a TypeBox schema or plain JSON Schema, of an object. */
  readonly input: S;
  /** The same for structured output; it may describe any value. */
  readonly output?: O;
  readonly annotations?: ToolAnnotations;
  readonly availability?: Availability;
  readonly sortKey?: string;
  /** Milliseconds a call may take in all. */
  readonly timeoutMs?: number;
  /** Milliseconds without progress. */
  readonly idleTimeoutMs?: number;
  /** Never runs beside another call. */
  readonly exclusive?: boolean;
  /** May take the name of a core tool. */
  readonly override?: boolean;
  /** What a call holds while it runs: calls that hold nothing in common may overlap. */
  resources?(input: JsonOf<S>): readonly ResourceKey[];
  /** What an approver sees. */
  preview?(input: JsonOf<S>): Promise<readonly Content[]>;
  revert?(record: CallRecord): Promise<void>;
  /** Returns anything, or a promise of it. A throw is the call's `error`. */
  execute(input: InputOf<S>, context: ToolContext<A>): OutputOf<O> | Promise<OutputOf<O>>;
}

/**
 * A tool of the program's own from what its author wrote; types are inferred from the schemas. The tool and its descriptor are frozen
 * copies. Throws ToolmapError `bad-tool`, naming the tool and the way out.
 */
export function defineTool<const S extends object, const O extends object | undefined = undefined, A = unknown>(
  definition: ToolDefinition<S, O, A>,
): AgentTool<InputOf<S>, JsonOf<S>> {
  assertUsable(definition);
  const validate = standardValidatorOf(definition.input);
  const tool: AgentTool<InputOf<S>, JsonOf<S>> = {
    descriptor: describe(definition),
    // a session hands over its own app; that it is an A is for the program that creates the session to see to
    execute: (input, context) => definition.execute(input, context as ToolContext<A>),
    ...bindFunctions(definition),
    ...pick(definition, ["timeoutMs", "idleTimeoutMs", "exclusive", "override"]),
    ...(validate && { [AUTHOR_VALIDATE]: validate }),
  };
  return Object.freeze(tool);
}

/** Called as methods of the definition, so that `this` is what its author meant. */
function bindFunctions<S, O, A>(definition: ToolDefinition<S, O, A>): Partial<AgentTool<InputOf<S>, JsonOf<S>>> {
  return {
    ...(definition.resources !== undefined && { resources: (input) => definition.resources?.(input) ?? [] }),
    ...(definition.preview !== undefined && { preview: async (input) => (await definition.preview?.(input)) ?? [] }),
    ...(definition.revert !== undefined && { revert: async (record) => definition.revert?.(record) }),
  };
}

function describe<S extends object, O extends object | undefined, A>(
  definition: ToolDefinition<S, O, A>,
): ToolDescriptor {
  const { name, description, input, output } = definition;
  return freezeJson<ToolDescriptor>({
    name,
    description,
    inputSchema: schemaOf(name, input, "input"),
    ...(output && { outputSchema: schemaOf(name, output, "output") }),
    owner: { kind: "custom" },
    executor: { kind: "custom", toolName: name },
    ...pick(definition, ["title", "sortKey"]),
    ...(definition.annotations && { annotations: { ...definition.annotations } }),
    ...(definition.availability && { availability: copyOf(name, definition.availability) }),
  });
}

/** The members that are there: an optional one is absent or a value, never undefined. */
function pick<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Partial<Pick<T, K>> {
  const picked: Partial<Pick<T, K>> = {};
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key];
  return picked;
}

function copyOf(name: string, availability: Availability): Availability {
  const copied = copyPlain(availability);
  if (copied === NOT_PLAIN)
    throw badTool(name, "its availability is not plain JSON", {
      fix: 'Name signals, such as { kind: "env", name: "KEY" }.',
    });
  return copied as unknown as Availability; // a copy of one
}

function schemaOf(name: string, author: object, side: SchemaSide): JsonObject {
  try {
    return toJsonSchema(author, side);
  } catch (error) {
    if (!(error instanceof ToolmapError)) throw error;
    throw badTool(name, error.message, error);
  }
}

function badTool(
  name: unknown,
  why: string,
  { fix, cause }: { readonly fix?: string | undefined; readonly cause?: unknown } = {},
): ToolmapError {
  const named =
    typeof name === "string" ? JSON.stringify(clipText(name, 80)) : `with the name ${clipText(String(name), 40)}`;
  return new ToolmapError("bad-tool", `The tool ${named} cannot be defined: ${why}.`, { fix, cause });
}

/** What types promise; a definition may come from JavaScript. */
function assertUsable(definition: Readonly<ToolDefinition<unknown, unknown, never>>): void {
  if (!isRecord(definition)) throw badTool("?", "defineTool takes one object");
  const { name, description, input, output }: { readonly [K in keyof typeof definition]: unknown } = definition;
  if (typeof name !== "string" || !isToolName(name)) throw badTool(name, "no model provider takes this name", NAME_FIX);
  if (typeof description !== "string")
    throw badTool(name, "its description must be text", { fix: 'Say what it does: description: "…".' });
  if (!isSchemaLike(input))
    throw badTool(name, "its input must be a schema", {
      fix: 'Pass a zod, arktype, TypeBox or JSON Schema; { type: "object" } for a tool without input.',
    });
  if (output !== undefined && !isSchemaLike(output))
    throw badTool(name, "its output must be a schema", { fix: "Leave output out, or pass a schema." });
  assertFunctions(definition);
  assertTimeouts(definition);
}

const NAME_FIX = { fix: "Use letters, digits, _ and -, at most 64, and begin with a letter or _." };

function isSchemaLike(value: unknown): value is object {
  return isRecord(value) || typeof value === "function";
}

function assertFunctions(definition: Readonly<ToolDefinition<unknown, unknown, never>>): void {
  for (const key of ["execute", "resources", "preview", "revert"] as const) {
    const value: unknown = definition[key];
    if (typeof value === "function" || (value === undefined && key !== "execute")) continue;
    throw badTool(definition.name, `its ${key} must be a function`, {
      fix:
        key === "execute"
          ? "Give it the code to run: execute: async (input) => …."
          : `Leave ${key} out, or pass a function.`,
    });
  }
}

function assertTimeouts(definition: Readonly<ToolDefinition<unknown, unknown, never>>): void {
  for (const key of ["timeoutMs", "idleTimeoutMs"] as const) {
    const value: unknown = definition[key];
    if (value === undefined || (typeof value === "number" && Number.isFinite(value) && value > 0)) continue;
    throw badTool(definition.name, `its ${key} must be a positive number of milliseconds`, {
      fix: `Leave ${key} out for the session's own limit.`,
    });
  }
}
