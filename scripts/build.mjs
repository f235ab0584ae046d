// Bundles src/ into dist/. `--quick` leaves the type declarations out.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";

const quick = process.argv.includes("--quick");
const entries = {
  index: "src/index.ts",
  "builtin/index": "src/builtin/index.ts",
  "providers/index": "src/providers/index.ts",
  "journal/index": "src/journal/index.ts",
  "testing/index": "src/testing/index.ts",
  "cli/main": "src/cli/main.ts",
};

if (!quick) rmSync("dist", { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file))),
  platform: "node",
  // jsonc-parser's UMD entry does not bundle; its module entry does.
  resolve: { mainFields: ["module", "main"] },
});
await bundle.write({
  dir: "dist",
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
  minify: false,
  // One file for the core: every file more costs a millisecond of each start. The engine stays apart, read at the first check.
  codeSplitting: { groups: [{ name: "core", test: /[\\/]src[\\/]core[\\/]/ }] },
});
await bundle.close();
if (!quick) {
  writeFileSync("dist/LICENSES.txt", bundledLicences());
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}

/** The licences of the packages that are bundled into dist. */
function bundledLicences() {
  return ["typebox", "commander", "jsonc-parser"]
    .map((name) => {
      const folder = path.join("node_modules", name);
      const { version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      if (!file) throw new Error(`${name} has no licence file`);
      return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
    })
    .join("\n----\n\n");
}
