import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isOpenedInside } from "../../src/builtin/opened-path.ts";
import { openFolder } from "../../src/builtin/open-folder.ts";
import { readFolder } from "../../src/builtin/read-folder.ts";
import { readForSearch } from "../../src/builtin/read-for-search.ts";
import { createWorkspace, type Workspace } from "../../src/builtin/workspace.ts";
import { temporaryFolder } from "./support.ts";

/** A root in which `swapped`, once followed as a folder, has become a link to a folder outside. */
function createSwapped(): { readonly workspace: Workspace; readonly real: string; readonly outside: string } {
  const base = temporaryFolder();
  const [root, outside] = [path.join(base, "ws"), path.join(base, "outside")];
  for (const folder of [root, outside, path.join(outside, "sub")]) mkdirSync(folder);
  writeFileSync(path.join(outside, "sub/f"), "secret");
  symlinkSync(outside, path.join(root, "swapped"));
  return { workspace: createWorkspace(root, process.platform), real: path.join(root, "swapped/sub"), outside };
}

describe("a folder swapped for a link after its path was followed", () => {
  test("POL-07 isOpenedInside sees that what was opened lies outside", () => {
    const { workspace, real } = createSwapped();
    const descriptor = openSync(path.join(real, "f"), "r");
    onTestFinished(() => closeSync(descriptor));
    expect(isOpenedInside(workspace, path.join(real, "f"), descriptor)).toBe(false);
  });

  test("POL-07 nothing is read, listed or opened through it", async () => {
    const { workspace, real } = createSwapped();
    expect(readForSearch(workspace, path.join(real, "f"))).toEqual({ kind: "unreadable" });
    expect(await readFolder(workspace, real)).toBeUndefined();
    expect(await openFolder(workspace, real)).toBeUndefined();
  });

  test.runIf(process.platform === "linux")(
    "POL-07 a folder swapped while it is open is still the one that was opened",
    async () => {
      const { workspace, outside } = createSwapped();
      const real = path.join(workspace.root, "mine");
      mkdirSync(real);
      const folder = await openFolder(workspace, real);
      renameSync(real, path.join(workspace.root, "moved"));
      symlinkSync(outside, real);
      writeFileSync(folder?.at("new") ?? "", "x");
      expect(readFileSync(path.join(workspace.root, "moved/new"), "utf8")).toBe("x");
      expect(readdirSync(outside)).toEqual(["sub"]);
      await folder?.close();
    },
  );
});
