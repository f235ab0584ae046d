import { hash } from "node:crypto";
import { readlinkSync } from "node:fs";
import os from "node:os";

/** Whether a process of this machine runs. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user's is there all the same.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Process numbers mean something within one machine, and on Linux within one namespace: containers share a name at times. */
export function thisMachine(): string {
  let namespace = "";
  try {
    namespace = readlinkSync("/proc/self/ns/pid");
  } catch {
    // Not Linux.
  }
  return hash("sha256", `${os.hostname()} ${namespace}`, "hex").slice(0, 12);
}
