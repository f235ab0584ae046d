import type { JsonValue } from "../json.ts";
import type { CallRun } from "./call-run.ts";

/** Replaces the values of the secrets that this call was given, in all that leaves it. */
export function maskSecrets(run: CallRun): void {
  if (!run.secrets) return;
  try {
    maskAll(run, run.secrets);
  } catch (error) {
    // Rather nothing than a secret.
    run.content = [{ type: "text", text: "(the result was left out: it could not be searched for secrets)" }];
    run.structuredContent = run.notes = undefined;
    throw error;
  }
}

function maskAll(run: CallRun, secrets: ReadonlyMap<string, string>): void {
  const mask = maskerOf(secrets);
  run.content = run.content.map((block) => mask(block as unknown as JsonValue) as unknown as typeof block);
  if (run.structuredContent !== undefined) run.structuredContent = mask(run.structuredContent);
  run.notes = run.notes?.map((note) => mask(note) as string);
}

/** A function that masks every string of a JSON value, names of members too. */
export function maskerOf(secrets: ReadonlyMap<string, string>): (value: JsonValue) => JsonValue {
  const needles = [...secrets].flatMap(([name, value]) => spellingsOf(value).map((spelling) => ({ name, spelling })));
  // Longest first: a secret may contain another.
  needles.sort((a, b) => b.spelling.length - a.spelling.length);
  const maskText = (text: string): string =>
    needles.reduce((masked, { name, spelling }) => masked.replaceAll(spelling, `[secret ${name}]`), text);
  const mask = (value: JsonValue): JsonValue => {
    if (typeof value === "string") return maskText(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map(mask);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [maskText(key), mask(member)]));
  };
  return mask;
}

/** The ways in which a tool's output may carry a value: as it is, inside JSON, inside a URL, in base64. */
function spellingsOf(value: string): readonly string[] {
  const base64 = base64Of(value).replace(/=+$/, "");
  const wellFormed = value.toWellFormed();
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encodeURIComponent(wellFormed), base64])].filter(
    (spelling) => spelling !== "",
  );
}

/** In pieces: a call takes only so many arguments. */
function base64Of(value: string): string {
  const bytes = new TextEncoder().encode(value);
  let binary = "";
  for (let start = 0; start < bytes.length; start += 4096) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 4096));
  }
  return btoa(binary);
}
