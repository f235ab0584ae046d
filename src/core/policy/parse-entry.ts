import { clipText } from "../json.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import { canonicalToolName, nearestNames } from "../tool/name.ts";
import { formatOrigin, rawToolName, type ToolOwnerRef } from "../tool/owner.ts";
import { matchGlob } from "./glob.ts";
import { GROUP_NAMES, GROUPS, OWNER_GROUPS } from "./groups.ts";

/** An entry of a list of a layer, read. Names are canonical; origins and raw names are as their owners spell them. */
export type ParsedEntry =
  | { readonly kind: "every" }
  | { readonly kind: "name"; readonly pattern: string; readonly isGlob: boolean }
  | { readonly kind: "names"; readonly group: string; readonly names: ReadonlySet<string> }
  | { readonly kind: "owners"; readonly group: string; readonly owner: ToolOwnerRef["kind"] }
  | { readonly kind: "origin"; readonly origin: string; readonly tool: string | undefined };

/** Why an entry cannot be used, and the way out. */
export interface EntryFault {
  readonly kind: "fault";
  readonly message: string;
  readonly fix?: string;
}

const LONGEST_ENTRY = 300;
const ORIGIN = /^(mcp|plugin|channel):([^/]*)(?:\/(.*))?$/;

/** Reads an entry: a name, a glob with `*`, `group:fs`, an origin or origin glob, or `*`. */
export function parseEntry(text: unknown): ParsedEntry | EntryFault {
  if (typeof text !== "string") return fault("an entry must be a text");
  const shown = JSON.stringify(clipText(text, 64));
  if (text.trim() === "") return fault("an empty entry matches nothing", "Remove it.");
  if (text.length > LONGEST_ENTRY) return fault(`${shown} is longer than ${LONGEST_ENTRY} characters`);
  if (text !== text.trim()) return fault(`${shown} begins or ends with white space`, "Remove the white space.");
  if (text.includes("(")) return fault(`${shown}: argument rules are not supported yet`, "Name the whole tool.");
  const odd = /[!@?[\]{}]/.exec(text)?.[0];
  if (odd !== undefined)
    return fault(
      `${shown}: "${odd}" has no meaning in an entry`,
      'Use a name, a glob with "*", group:…, or an origin such as mcp:github.',
    );
  if (text === "*") return { kind: "every" };
  if (text.startsWith("group:")) return parseGroup(text.slice("group:".length));
  const [, owner, id = "", tool] = ORIGIN.exec(text) ?? [];
  if (owner !== undefined) return parseOrigin(text, { owner, id, tool });
  return parseName(text, shown);
}

function parseGroup(name: string): ParsedEntry | EntryFault {
  const names = GROUPS.get(name);
  if (names) return { kind: "names", group: name, names: new Set(names) };
  const owner = OWNER_GROUPS.get(name);
  if (owner) return { kind: "owners", group: name, owner };
  const [near] = nearestNames(name, GROUP_NAMES, 1);
  return fault(
    `there is no group ${JSON.stringify(clipText(name, 64))}`,
    near === undefined ? `The groups are ${GROUP_NAMES.join(", ")}.` : `Did you mean group:${near}?`,
  );
}

function parseOrigin(
  text: string,
  { owner, id, tool }: { readonly owner: string; readonly id: string; readonly tool: string | undefined },
): ParsedEntry | EntryFault {
  if (id === "" || tool === "")
    return fault(`${JSON.stringify(clipText(text, 64))} names no ${id === "" ? owner : "tool"}`);
  return { kind: "origin", origin: `${owner}:${id}`, tool };
}

function parseName(text: string, shown: string): ParsedEntry | EntryFault {
  if (!/^[A-Za-z_*][A-Za-z0-9_*-]*$/.test(text)) return fault(`${shown} can never be the name of a tool`);
  return { kind: "name", pattern: canonicalToolName(text), isGlob: text.includes("*") };
}

/** Whether a tool is one of those that an entry means. */
export function compileEntry(entry: ParsedEntry): (descriptor: ToolDescriptor) => boolean {
  switch (entry.kind) {
    case "every":
      return () => true;
    case "name":
      return ({ name, owner }) => {
        if (owner.kind === "mcp") return false;
        const canonical = canonicalToolName(name);
        return entry.isGlob ? matchGlob(entry.pattern, canonical) : entry.pattern === canonical;
      };
    case "names":
      return ({ name, owner }) => owner.kind !== "mcp" && entry.names.has(canonicalToolName(name));
    case "owners":
      return ({ owner }) => owner.kind === entry.owner;
    case "origin":
      return (descriptor) =>
        matchGlob(entry.origin, formatOrigin(descriptor.owner)) &&
        (entry.tool === undefined || matchGlob(entry.tool, rawToolName(descriptor)));
  }
}

function fault(message: string, fix?: string): EntryFault {
  return fix === undefined ? { kind: "fault", message } : { kind: "fault", message, fix };
}
