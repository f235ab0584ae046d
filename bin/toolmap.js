#!/usr/bin/env node
// Plain JavaScript that any Node understands, so that an old one gets a sentence and not a stack.
var version = process.versions.node.split(".");
if (Number(version[0]) < 20 || (Number(version[0]) === 20 && Number(version[1]) < 19)) {
  process.stderr.write("toolmap needs Node.js 20.19 or newer; this is " + process.version + ".\n");
  process.exit(2);
} else {
  import("../dist/cli/main.js").then(
    function (module) {
      return module.main(process.argv.slice(2));
    },
    function (error) {
      if (error && error.code === "ERR_MODULE_NOT_FOUND") {
        process.stderr.write("toolmap is not built yet: run `npm run build` in its folder.\n");
      } else {
        process.stderr.write("toolmap could not start: " + (error && error.message) + "\n");
      }
      process.exitCode = 2;
    },
  );
}
