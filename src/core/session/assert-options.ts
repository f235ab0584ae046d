import { ToolmapError } from "../errors.ts";
import { isRecord } from "../json.ts";
import { nearestNames } from "../tool/name.ts";
import type { SessionOptions } from "./agent-session.ts";

/** What a value must be, in words, and whether one is. */
interface Shape {
  readonly expected: string;
  isFine(value: unknown): boolean;
}

const OBJECT: Shape = { expected: "an object", isFine: isRecord };
const LIST: Shape = { expected: "a list", isFine: Array.isArray };
const FLAG: Shape = { expected: "true or false", isFine: (value) => typeof value === "boolean" };
const ANY: Shape = { expected: "anything", isFine: () => true };
const BOUND: Shape = { expected: "a number of at least 1", isFine: (value) => typeof value === "number" && value >= 1 };
const GRACE: Shape = { expected: "a number of at least 0", isFine: (value) => typeof value === "number" && value >= 0 };
const NAME_LIST: Shape = {
  expected: "a list of names",
  isFine: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
};

/** Every option. `policy`, `hooks`, `tools` and `sources` say more of their members when they are compiled. */
const OPTIONS: Readonly<Record<keyof SessionOptions, Shape>> = {
  id: { expected: "a text that is not empty", isFine: (value) => typeof value === "string" && value !== "" },
  resume: FLAG,
  ports: OBJECT,
  tools: LIST,
  sources: LIST,
  registry: objectWith("current", "refresh", "subscribe"),
  model: objectWith("turn", "rules"),
  systemPrompt: {
    expected: "a text, or a function that makes one of the tools",
    isFine: (value) => typeof value === "string" || typeof value === "function",
  },
  policy: LIST,
  availability: OBJECT,
  hooks: LIST,
  approver: objectWith("ask"),
  caller: OBJECT,
  app: ANY,
  disableBuiltInTools: FLAG,
  allowedToolNames: NAME_LIST,
  limits: OBJECT,
  defaults: OBJECT,
};

const LIMITS: Readonly<Record<keyof NonNullable<SessionOptions["limits"]>, Shape>> = {
  turns: BOUND,
  timeMs: BOUND,
  tokens: BOUND,
  toolMs: BOUND,
  hookMs: BOUND,
  approvalMs: BOUND,
  keyWaitMs: BOUND,
  graceMs: GRACE,
  resultBytes: BOUND,
};

const DEFAULTS: Readonly<Record<keyof NonNullable<SessionOptions["defaults"]>, Shape>> = {
  ask: {
    expected: '"never", "writes" or "always"',
    isFine: (value) => value === "never" || value === "writes" || value === "always",
  },
};

const PORTS: Readonly<Record<keyof NonNullable<SessionOptions["ports"]>, Shape>> = {
  clock: objectWith("now", "after"),
  spill: OBJECT,
  journal: objectWith("append"),
  lock: objectWith("open"),
  secrets: objectWith("get"),
  effects: OBJECT,
  tokens: OBJECT,
  places: objectWith("placeOf"),
};

/** Throws `bad-option` for what createAgentSession cannot use: each says which, why, and the way out. */
export function assertSessionOptions(options: SessionOptions): void {
  const given: unknown = options;
  if (!isRecord(given)) {
    throw new ToolmapError("bad-option", "createAgentSession takes an object of options.", {
      fix: "Pass { tools: [...] }, or nothing.",
    });
  }
  assertMembers(given, "", OPTIONS);
  if (isRecord(given["limits"])) assertMembers(given["limits"], "limits.", LIMITS);
  if (isRecord(given["defaults"])) assertMembers(given["defaults"], "defaults.", DEFAULTS);
  if (isRecord(given["ports"])) assertMembers(given["ports"], "ports.", PORTS);
  if (options.registry && (options.tools || options.sources)) {
    throw new ToolmapError("bad-option", "createAgentSession takes a registry, or tools and sources, and not both.", {
      fix: "Pass the tools and sources to createToolRegistry.",
    });
  }
  if (options.resume === true && (options.id === undefined || !options.ports?.journal?.read)) {
    throw new ToolmapError("bad-option", "resume needs the id of a session and a journal that can be read back.", {
      fix: "Pass id, and ports with the journal that the session was written to.",
    });
  }
}

/** A name that is not known is a wish that would be ignored; an undefined member is one that was left out. */
function assertMembers(
  given: Readonly<Record<string, unknown>>,
  prefix: string,
  shapes: Readonly<Record<string, Shape>>,
): void {
  for (const [key, value] of Object.entries(given)) {
    const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
    if (!shape) throw unknownOption(key, prefix, Object.keys(shapes));
    if (value === undefined || shape.isFine(value)) continue;
    throw new ToolmapError("bad-option", `The option ${prefix}${key} is ${describe(value)}.`, {
      fix: `It must be ${shape.expected}.`,
    });
  }
}

function unknownOption(key: string, prefix: string, known: readonly string[]): ToolmapError {
  const [near] = nearestNames(key, known, 1);
  return new ToolmapError("bad-option", `createAgentSession does not know the option "${prefix}${key}".`, {
    fix: near === undefined ? `The options are ${known.join(", ")}.` : `Did you mean "${prefix}${near}"?`,
  });
}

/** Never the value itself, which may be a secret or without end; a short text or number is told. */
function describe(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return String(value);
  if (typeof value === "string") return value.length <= 32 ? JSON.stringify(value) : "a text";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object that lacks what it needs" : `a ${typeof value}`;
}

/** An object with these members: functions, or for `current` an object. */
function objectWith(...members: readonly string[]): Shape {
  return {
    expected: `an object with ${members.join(", ")}`,
    isFine: (value) =>
      isRecord(value) && members.every((member) => typeof value[member] === "function" || isRecord(value[member])),
  };
}
