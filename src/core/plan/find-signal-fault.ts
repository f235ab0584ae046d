import { clipText } from "../json.ts";

/** What is wrong with a signal's own shape, in words; undefined for a documented one. Reads own members only. */
export function findSignalFault(signal: Readonly<Record<string, unknown>>): string | undefined {
  const own = (key: string): unknown => (Object.hasOwn(signal, key) ? signal[key] : undefined);
  switch (own("kind")) {
    case "always":
      return undefined;
    case "auth":
      return faultOfText(own("providerId"), "auth", "providerId");
    case "env":
      return faultOfText(own("name"), "env", "name");
    case "plugin-enabled":
      return faultOfText(own("pluginId"), "plugin-enabled", "pluginId");
    case "context":
      return faultOfText(own("key"), "context", "key") ?? faultOfEquals(signal);
    case "config":
      return faultOfPath(own("path")) ?? faultOfCheck(own("check"));
    default:
      return `Unsupported availability signal: ${show(own("kind"))} is none of ${KINDS}`;
  }
}

const KINDS = "always, auth, config, env, plugin-enabled, context";

function faultOfText(value: unknown, kind: string, member: string): string | undefined {
  return isText(value) ? undefined : `Malformed ${kind} signal: missing ${member}`;
}

function faultOfEquals(signal: Readonly<Record<string, unknown>>): string | undefined {
  if (!Object.hasOwn(signal, "equals")) return undefined;
  const { equals } = signal;
  const isPrimitive = equals === null || ["string", "number", "boolean"].includes(typeof equals);
  return isPrimitive ? undefined : "Malformed context signal: equals must be text, a number, a boolean or null";
}

/** An empty path would name the whole configuration, which is always there. */
function faultOfPath(path: unknown): string | undefined {
  const isPath = Array.isArray(path) && path.length > 0 && path.length <= LONGEST_PATH && allText(path);
  return isPath ? undefined : "Malformed config signal: missing path";
}

const LONGEST_PATH = 100;

/** Holes count: `every` would skip them. */
function allText(path: readonly unknown[]): boolean {
  for (let at = 0; at < path.length; at += 1) if (!isText(path[at])) return false;
  return true;
}

function faultOfCheck(check: unknown): string | undefined {
  if (check === undefined || check === "exists" || check === "non-empty" || check === "available") return undefined;
  return `Malformed config signal: check ${show(check)} is none of exists, non-empty, available`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function show(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(clipText(value, 60)) : `a value of type ${typeof value}`;
}
