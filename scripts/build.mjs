// Bundles src/ into dist/. `--quick` leaves the type declarations out.
import { execFileSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { rolldown } from "rolldown";

const quick = process.argv.includes("--quick");
const entries = {
  index: "src/index.ts",
  "builtin/index": "src/builtin/index.ts",
  "providers/index": "src/providers/index.ts",
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
});
await bundle.close();
if (!quick) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], {
    stdio: "inherit",
  });
}
