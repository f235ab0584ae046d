/**
 * The UTF-8 bytes of a text of one line, and of the line with its newline. They hold until the next call: whoever keeps
 * them copies them.
 */
export function lineBytes(text: string): { readonly text: Uint8Array; readonly line: Uint8Array } {
  const bytes = text.length * 3 < shared.length ? shared : Buffer.allocUnsafe(text.length * 3 + 1);
  const length = bytes.write(text);
  bytes[length] = NEWLINE;
  return { text: bytes.subarray(0, length), line: bytes.subarray(0, length + 1) };
}

/** One for the process: a line is written before the next one is made. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

const NEWLINE = 10;
