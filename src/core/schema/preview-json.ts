import { clipText, type JsonValue } from "../json.ts";

/** A value's JSON for a message: at most `length` characters, and no more work than that. */
export function previewJson(value: JsonValue, length = 80): string {
  return clipText(write(value, length), length - 1);
}

/** The beginning of the JSON text: `room` characters of it or more, or all of it. */
function write(value: JsonValue, room: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, room));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value)
    ? writeItems(value, room)
    : writeMembers(value as { readonly [key: string]: JsonValue }, room);
}

function writeItems(items: readonly JsonValue[], room: number): string {
  let text = "[";
  for (const [index, item] of items.entries()) {
    if (text.length > room) return text;
    text += `${index === 0 ? "" : ","}${write(item, room - text.length + 1)}`;
  }
  return `${text}]`;
}

function writeMembers(value: { readonly [key: string]: JsonValue }, room: number): string {
  let text = "{";
  for (const name in value) {
    if (text.length > room) return text;
    const member = `${write(name, room)}:${write(value[name] ?? null, room - text.length + 1)}`;
    text += text === "{" ? member : `,${member}`;
  }
  return `${text}}`;
}
