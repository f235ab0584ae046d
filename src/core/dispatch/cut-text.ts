/** Bytes of a text in UTF-8. A lone surrogate counts as the three bytes of its replacement. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}

/** The longest beginning of at most `maxBytes`, whole characters; up to the end of a line when that loses less than half. */
export function cutHead(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  while (end < text.length) {
    const size = characterAt(text, end);
    if (bytes + size.bytes > maxBytes) break;
    bytes += size.bytes;
    end += size.units;
  }
  const head = text.slice(0, end);
  const lineEnd = head.lastIndexOf("\n") + 1;
  return lineEnd > head.length / 2 ? head.slice(0, lineEnd) : head;
}

/** The longest ending of at most `maxBytes`, whole characters; from the start of a line when that loses less than half. */
export function cutTail(text: string, maxBytes: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const units =
      start >= 2 && isLowSurrogate(text.charCodeAt(start - 1)) && isHighSurrogate(text.charCodeAt(start - 2)) ? 2 : 1;
    const size = characterAt(text, start - units).bytes;
    if (bytes + size > maxBytes) break;
    bytes += size;
    start -= units;
  }
  const tail = text.slice(start);
  const lineStart = tail.indexOf("\n") + 1;
  return lineStart > 0 && lineStart < tail.length / 2 ? tail.slice(lineStart) : tail;
}

function characterAt(text: string, index: number): { readonly units: number; readonly bytes: number } {
  const unit = text.charCodeAt(index);
  if (unit < 0x80) return ONE;
  if (unit < 0x800) return TWO;
  return isHighSurrogate(unit) && isLowSurrogate(text.charCodeAt(index + 1)) ? FOUR : THREE;
}

const ONE = { units: 1, bytes: 1 } as const;
const TWO = { units: 1, bytes: 2 } as const;
const THREE = { units: 1, bytes: 3 } as const;
const FOUR = { units: 2, bytes: 4 } as const;

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
