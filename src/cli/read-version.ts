import { readFileSync } from "node:fs";
import { isRecord } from "../core/json.ts";

/** The version of the package that this file is part of: package.json lies two folders up, in src and in dist. */
export function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  return isRecord(manifest) && typeof manifest["version"] === "string" ? manifest["version"] : "unknown";
}
