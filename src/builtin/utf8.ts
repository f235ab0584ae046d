/** Exact text of bytes, a byte order mark included; undefined if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a byte begins a character. */
export function isLeadByte(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

/** The longest beginning of at most `maxBytes` that splits no character. */
export function cutBytes(bytes: Buffer, maxBytes: number): Buffer {
  if (bytes.length <= maxBytes) return bytes;
  let end = maxBytes;
  while (end > 0 && !isLeadByte(bytes[end] ?? 0)) end -= 1;
  return bytes.subarray(0, end);
}

/** How many characters (code points) the bytes hold. */
export function countCharacters(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (isLeadByte(byte)) count += 1;
  return count;
}

export const BYTE_ORDER_MARK = "\ufeff";

/** Whether the bytes begin with the UTF-8 byte order mark. */
export function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
