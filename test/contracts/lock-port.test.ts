import path from "node:path";
import { memoryPorts } from "toolmap/testing";
import { describe } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { leaseLock } from "../../src/journal/lease-lock.ts";
import { nodeDisk } from "../../src/journal/node-disk.ts";
import { sessionFolderName } from "../../src/journal/session-folder.ts";
import { createSessionStore } from "../../src/journal/session-store.ts";
import { temporaryFolder } from "../journal/temporary-folder.ts";
import { simulatedDisk } from "../support/simulated-disk.ts";
import { lockPortContract } from "./lock-port.ts";

describe("a lock port", () => {
  lockPortContract("in process", () => memoryPorts().lock);
  lockPortContract("across processes", () => {
    const folder = temporaryFolder();
    const folderOf = (id: string): string => path.join(folder, sessionFolderName(id));
    return leaseLock({ folderOf, disk: nodeDisk, clock: systemClock });
  });
  lockPortContract("across processes, on a simulated disk", () => {
    const disk = simulatedDisk({ now: Date.now, random: () => 0 });
    return leaseLock({ folderOf: (id) => `/s/${sessionFolderName(id)}`, disk, clock: systemClock });
  });
  lockPortContract("of a store", () => createSessionStore({ folder: temporaryFolder() }).ports.lock);
});
