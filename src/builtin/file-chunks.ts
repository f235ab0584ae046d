import type { FileHandle } from "node:fs/promises";
import type { SpillPort } from "../core/dispatch/ports.ts";

/** A file's bytes from its beginning, a piece at a time; each piece is valid until the next is asked for. */
export async function* fileChunks(handle: FileHandle, signal: AbortSignal): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const CHUNK_BYTES = 64 * 1024;

/** The bytes of a kept output, a piece at a time. */
export async function* spillChunks(spill: SpillPort, id: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let half = "";
  // Always the same step: whether the port counts UTF-16 units or code points, nothing is left out or read twice.
  for (let offset = 0; ; offset += SPILL_CHARACTERS) {
    signal.throwIfAborted();
    const text = half + (await spill.read(id, offset, SPILL_CHARACTERS));
    if (text === half) break;
    half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    yield Buffer.from(half === "" ? text : text.slice(0, -1));
  }
  if (half !== "") yield Buffer.from(half);
}

const SPILL_CHARACTERS = 32 * 1024;
