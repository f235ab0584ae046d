import { execFileSync } from "node:child_process";

/** Bundles the command line once for the tests that start it as a process. */
export function setup(): void {
  if (process.env["TOOLMAP_SKIP_BUILD"] === "1") return;
  execFileSync(process.execPath, ["scripts/build.mjs", "--quick"], { stdio: ["ignore", "ignore", "inherit"] });
}
