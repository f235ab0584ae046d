import { hasByteOrderMark } from "./utf8.ts";

/** What the first bytes of a file say that it is. */
export type Sniffed =
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "utf-16" }
  | { readonly kind: "binary" };

/** Judges by content, never by name. */
export function sniff(head: Buffer): Sniffed {
  const image = IMAGES.find(({ matches }) => matches(head));
  if (image) return { kind: "image", mimeType: image.mimeType };
  if (hasByteOrderMark(head)) return { kind: "text" };
  const mark = head.subarray(0, 2).toString("hex");
  if (mark === "fffe" || mark === "feff") return { kind: "utf-16" };
  return head.includes(0) ? { kind: "binary" } : { kind: "text" };
}

/** How many bytes sniffing wants. */
export const SNIFF_BYTES = 8192;

const IMAGES: readonly { readonly mimeType: string; readonly matches: (head: Buffer) => boolean }[] = [
  { mimeType: "image/png", matches: (head) => head.toString("latin1", 0, 8) === "\x89PNG\r\n\x1a\n" },
  { mimeType: "image/jpeg", matches: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff },
  { mimeType: "image/gif", matches: (head) => /^GIF8[79]a$/.test(head.toString("latin1", 0, 6)) },
  { mimeType: "image/webp", matches: (head) => /^RIFF[^]{4}WEBP$/.test(head.toString("latin1", 0, 12)) },
];
