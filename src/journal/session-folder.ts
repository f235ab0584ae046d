import { hash } from "node:crypto";

/**
 * The name of a session's folder: the id as it stands where that is a safe name everywhere, else "x-" and 32 hex digits
 * of its SHA-256. Two ids never get the same name, also where case does not count.
 */
export function sessionFolderName(sessionId: string): string {
  return isPlain(sessionId) ? sessionId : `x-${hash("sha256", bytesOf(sessionId), "hex").slice(0, 32)}`;
}

/** Lower case only. Windows drops a dot at the end and keeps device names for itself. */
function isPlain(id: string): boolean {
  return PLAIN.test(id) && !id.endsWith(".") && !HASHED.test(id) && !DEVICE.test(id) && id !== "index.json";
}

const PLAIN = /^[a-z0-9][a-z0-9._-]{0,80}$/;
const HASHED = /^x-[0-9a-f]{32}$/;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/** UTF-8. Text that has none gets a first byte that no UTF-8 holds, so that it is told apart from every other. */
function bytesOf(id: string): Uint8Array {
  return id.isWellFormed() ? Buffer.from(id) : Buffer.concat([Buffer.of(0xff), Buffer.from(id, "utf16le")]);
}
