/** The UTF-8 bytes of a line. They hold until the next call: whoever keeps them copies them. */
export function lineBytes(line: string): Buffer {
  if (line.length * 3 > shared.length) return Buffer.from(line);
  return shared.subarray(0, shared.write(line));
}

/** One for the process: a line is written before the next one is made. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);
