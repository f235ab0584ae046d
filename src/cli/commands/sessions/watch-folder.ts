import { type FSWatcher, watch } from "node:fs";

/** Changes of a folder. */
export interface FolderChanges {
  /** Settles when something may have changed: at most ten times a second; after a second in any case, since not every disk tells. */
  next(): Promise<void>;
  close(): void;
}

const QUIET_MS = 100;
const PATIENCE_MS = 1000;

/** Watches a folder until it is closed; once the signal aborts, `next` settles at once. */
export function watchFolder(folder: string, signal: AbortSignal): FolderChanges {
  let hasChanged = false;
  let wake: () => void = () => undefined;
  const notice = (): void => {
    hasChanged = true;
    wake();
  };
  const watcher = tryWatch(folder, notice);
  signal.addEventListener("abort", notice);
  return {
    async next() {
      await pause(QUIET_MS, signal);
      if (!hasChanged) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, PATIENCE_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasChanged = signal.aborted;
    },
    close() {
      signal.removeEventListener("abort", notice);
      watcher?.close();
    },
  };
}

/** Where the system cannot watch, the second that passes in any case has to do. */
function tryWatch(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    return watch(folder, changed).on("error", () => undefined);
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
}
