/** The UTF-8 bytes of a text and a newline. They hold until the next call: whoever keeps them copies them. */
export function lineBytes(text: string): Uint8Array {
  const most = text.length * UTF8_MOST + 1;
  const bytes = most <= shared.length ? shared : Buffer.allocUnsafe(most);
  const length = bytes.write(text);
  bytes[length] = NEWLINE;
  return bytes.subarray(0, length + 1);
}

/** One for the process: a line is written before the next one is made. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** A UTF-16 unit has at most this many UTF-8 bytes. */
const UTF8_MOST = 3;

const NEWLINE = 10;
