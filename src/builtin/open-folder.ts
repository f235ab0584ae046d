import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import { isOpenedInside, steadyPath } from "./opened-path.ts";
import { pathsOf, type Workspace } from "./workspace.ts";

/** A folder inside the root that stays the same folder while it is open, where the system allows that. */
export interface OpenedFolder {
  /** A path to work below: on Linux one that no swap of names redirects, elsewhere the real path. */
  readonly path: string;
  /** The path of an entry. */
  at(name: string): string;
  /** Whether `path` still leads inside the root; asked once more just before something is changed. */
  isSteady(): boolean;
  /** Makes changed names survive a power cut, where the system can. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a folder by its real path. Undefined if something else, or something outside, is there by now. */
export async function openFolder(workspace: Workspace, real: string): Promise<OpenedFolder | undefined> {
  if (workspace.platform === "win32") return withoutHandle(workspace, real);
  const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  if (isOpenedInside(workspace, real, handle.fd)) return new HeldFolder(workspace, real, handle);
  await handle.close();
  return undefined;
}

class HeldFolder implements OpenedFolder {
  readonly path: string;
  readonly #workspace: Workspace;
  readonly #real: string;
  readonly #handle: FileHandle;

  constructor(workspace: Workspace, real: string, handle: FileHandle) {
    this.#workspace = workspace;
    this.#real = real;
    this.#handle = handle;
    this.path = steadyPath(handle.fd) ?? real;
  }

  at(name: string): string {
    return `${this.path}/${name}`;
  }

  isSteady(): boolean {
    return isOpenedInside(this.#workspace, this.#real, this.#handle.fd);
  }

  async sync(): Promise<void> {
    // Some file systems cannot; the content itself is on disk.
    await this.#handle.sync().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Windows opens no folder as a file. */
function withoutHandle({ platform }: Workspace, real: string): OpenedFolder {
  return {
    path: real,
    at: (name) => pathsOf(platform).join(real, name),
    isSteady: () => true,
    sync: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
