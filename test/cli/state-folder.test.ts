import path from "node:path";
import { describe, expect, test } from "vitest";
import { stateFolder } from "../../src/cli/state-folder.ts";

describe("stateFolder", () => {
  test.each([
    ["TOOLMAP_HOME before all others", { TOOLMAP_HOME: "/t", XDG_STATE_HOME: "/x", HOME: "/h" }, "/t"],
    ["a folder of its own under XDG_STATE_HOME", { XDG_STATE_HOME: "/x", HOME: "/h" }, path.join("/x", "toolmap")],
    ["~/.toolmap without either", { HOME: "/h" }, path.join("/h", ".toolmap")],
    [
      "~/.toolmap where both are empty",
      { TOOLMAP_HOME: "", XDG_STATE_HOME: "", HOME: "/h" },
      path.join("/h", ".toolmap"),
    ],
    ["the home folder of Windows", { USERPROFILE: "/u" }, path.join("/u", ".toolmap")],
    [
      "~/.toolmap where XDG_STATE_HOME is relative, which its specification ignores",
      { XDG_STATE_HOME: "x", HOME: "/h" },
      path.join("/h", ".toolmap"),
    ],
  ])("stateFolder takes %s", (_, env, folder) => {
    expect(stateFolder(env)).toBe(folder);
  });

  test.each([
    ["a relative TOOLMAP_HOME", { TOOLMAP_HOME: "state", HOME: "/h" }, "TOOLMAP_HOME"],
    ["a relative HOME", { HOME: "h" }, "HOME"],
    ["an environment without a home", {}, "home folder"],
  ])("stateFolder refuses %s and names the way out", (_, env, named) => {
    expect(() => stateFolder(env)).toThrow(
      expect.objectContaining({
        code: "usage",
        message: expect.stringContaining(named) as string,
        fix: expect.stringContaining("Set ") as string,
      }),
    );
  });
});
