import { randomBytes } from "node:crypto";
import type { ProcessGroup } from "./process-group.ts";

/** The commands of one source: those that run end with the host process, what they leave ends when the source is closed. */
export class RunningCommands {
  readonly #running = new Set<ProcessGroup>();
  readonly #left = new Set<ProcessGroup>();
  readonly #id = randomBytes(8).toString("hex");
  #count = 0;

  /** A name for the next run that no other has. */
  nextMarker(): string {
    this.#count += 1;
    return `${this.#id}-${this.#count}`;
  }

  started(group: ProcessGroup): void {
    if (this.#running.size === 0) process.on("exit", this.#killRunning);
    this.#running.add(group);
  }

  ended(group: ProcessGroup, { leftBehind }: { readonly leftBehind: boolean }): void {
    this.#running.delete(group);
    if (this.#running.size === 0) process.off("exit", this.#killRunning);
    for (const each of this.#left) if (each.members().length === 0) this.#left.delete(each);
    if (leftBehind) this.#left.add(group);
  }

  close(): void {
    this.#killRunning();
    // An empty group's number may belong to somebody else by now.
    for (const group of this.#left) if (group.members().length > 0) group.kill();
    this.#left.clear();
  }

  readonly #killRunning = (): void => {
    for (const group of this.#running) group.kill();
  };
}
