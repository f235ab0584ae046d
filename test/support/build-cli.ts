import { execFileSync } from "node:child_process";

/** Bundles the command line once for the tests that start it as a process. */
export function setup(): void {
  execFileSync(process.execPath, ["scripts/build.mjs", "--quick"], { stdio: ["ignore", "ignore", "inherit"] });
}
