import { readdirSync, readFileSync } from "node:fs";
import path from "node:path/posix";
import { describe, expect, test } from "vitest";

/** The stages of the core, in the order data flows. A stage imports only itself and stages before it. */
const STAGES = ["schema", "tool", "registry", "plan", "policy", "hooks", "dispatch", "session"];

/** Files at the root of core lie below every stage and import only each other. */
const ROOT_FILES = ["json.ts", "errors.ts", "digest.ts", "clock.ts"];

/** What each folder outside the core may import. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  builtin: ["core"],
  providers: ["core"],
  config: ["core"],
  testing: ["core"],
  journal: ["core"],
  cli: ["core", "builtin", "providers", "config", "testing", "journal"],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"));
const imports = files.flatMap(importsOf);
const folderOf = (file: string): string => (file.includes("/") ? (file.split("/")[0] ?? "") : "");
const show = ({ from, to }: Import): string => `${from} -> ${to}`;

/** Every import of a file: static, type, export-from and dynamic. */
function importsOf(file: string): Import[] {
  const text = readFileSync(path.join("src", file), "utf8");
  const found = [
    ...text.matchAll(/^\s*(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"/gm),
    ...text.matchAll(/\bimport\(\s*"([^"]+)"/g),
    ...text.matchAll(/^\s*import\s+"([^"]+)"/gm),
  ];
  return found.map(([, to = ""]) => ({ from: file, to: to.startsWith(".") ? path.join(path.dirname(file), to) : to }));
}

/** The stage's index; -1 for a file at the root of core, NaN for a folder that is no stage. */
function rankOf(file: string): number {
  const [, stage = ""] = file.split("/");
  if (ROOT_FILES.includes(stage)) return -1;
  const rank = STAGES.indexOf(stage);
  return rank === -1 ? Number.NaN : rank;
}

describe("imports", () => {
  test("every file of the core is in a stage or is a known root file", () => {
    expect(files.filter((file) => folderOf(file) === "core" && Number.isNaN(rankOf(file)))).toEqual([]);
  });

  test("a core stage imports only itself and earlier stages", () => {
    const inside = imports.filter(({ from, to }) => folderOf(from) === "core" && folderOf(to) === "core");
    expect(inside.length).toBeGreaterThan(50);
    expect(inside.filter(({ from, to }) => rankOf(to) > rankOf(from)).map(show)).toEqual([]);
  });

  test("a folder imports only what the table allows", () => {
    const crossing = imports.filter(
      ({ from, to }) => files.includes(to) && folderOf(from) !== folderOf(to) && from !== "index.ts",
    );
    const allowed = ({ from, to }: Import): boolean => EDGES[folderOf(from)]?.includes(folderOf(to)) === true;
    expect(crossing.filter((each) => !allowed(each)).map(show)).toEqual([]);
  });

  test("every import of a file of ours names a file that exists", () => {
    expect(imports.filter(({ to }) => to.endsWith(".ts") && !files.includes(to)).map(show)).toEqual([]);
  });

  test("the core and the codecs name no Node module", () => {
    const pure = imports.filter(({ from }) => ["core", "providers"].includes(folderOf(from)));
    expect(pure.filter(({ to }) => to.startsWith("node:")).map(show)).toEqual([]);
  });

  test("the core's only package is typebox, and one file loads it", () => {
    const packages = imports.filter(({ from, to }) => folderOf(from) === "core" && !files.includes(to));
    expect(new Set(packages.map(({ to }) => to))).toEqual(new Set(["typebox/schema"]));
    const loads = files.filter((file) => /\bimport\(\s*"typebox/.test(readFileSync(path.join("src", file), "utf8")));
    expect(loads).toEqual(["core/schema/compile-schema.ts"]);
  });

  test("nobody inside imports a door", () => {
    expect(imports.filter(({ to }) => to.endsWith("index.ts")).map(show)).toEqual([]);
  });
});

test("a folder has an index.ts exactly when package.json exports it", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    exports: Record<string, string | { source: string }>;
  };
  const doors = files.filter((file) => path.basename(file) === "index.ts").map((file) => `./src/${file}`);
  const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.source]));
  expect(doors.sort()).toEqual(named.sort());
});
