import { imageTypeOf } from "../../core/tool/image-type.ts";
import type { AnthropicBlock, AnthropicImageType } from "./wire.ts";

/** Characters of base64 that the API takes for one image on every platform. */
const MOST_CHARACTERS = 5 * 1024 * 1024;

/**
 * The image as a block, or undefined where the API would refuse the request for it: a kind it cannot read, bytes that
 * are no base64, too many of them. The bytes decide over the declared type, because the API compares the two.
 */
export function encodeImage({
  data,
  mimeType,
}: {
  readonly data: string;
  readonly mimeType: string;
}): AnthropicBlock | undefined {
  const declared = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!declared.startsWith("image/") || data.length > MOST_CHARACTERS || !isBase64(data)) return undefined;
  const type = READABLE.get(imageTypeOf(data) ?? declared);
  return type && { type: "image", source: { type: "base64", media_type: type, data } };
}

const READABLE: ReadonlyMap<string, AnthropicImageType> = new Map([
  ["image/png", "image/png"],
  ["image/jpeg", "image/jpeg"],
  ["image/jpg", "image/jpeg"],
  ["image/gif", "image/gif"],
  ["image/webp", "image/webp"],
]);

function isBase64(data: string): boolean {
  return data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}
