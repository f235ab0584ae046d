import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { openFolder } from "./open-folder.ts";
import type { Workspace } from "./workspace.ts";

/** The entries of a folder inside the root, in no order; undefined if the folder was swapped for something outside. */
export async function readFolder(workspace: Workspace, real: string): Promise<Dirent[] | undefined> {
  const folder = await openFolder(workspace, real);
  if (!folder) return undefined;
  try {
    return await readdir(folder.path, { withFileTypes: true });
  } finally {
    await folder.close();
  }
}
