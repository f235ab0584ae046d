// Installs the packed package into empty folders, as a user would, and runs the README's programs there under two Nodes.
// node check-package.mjs <folder with the .tgz> <path of another node>
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const [work, otherNode] = process.argv.slice(2).map((each) => path.resolve(each));
const tarball = path.join(
  work,
  readdirSync(work).find((file) => file.endsWith(".tgz")),
);
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
let failed = 0;

async function check(name, work_) {
  try {
    await work_();
    console.log(`ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`not ok ${name}\n  ${String(error.stderr ?? "").trim()}\n  ${error.message}`);
  }
}

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, file) => {
    const found = statSync(path.join(folder, file));
    return sum + (found.isFile() ? found.size : 0);
  }, 0);
}

async function install(folder, packages) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: folder });
}

const alone = path.join(work, "alone");
await check("npm i toolmap: at most 5 packages, 10 MB, no install script", async () => {
  await install(alone, [tarball]);
  const lock = JSON.parse(readFileSync(path.join(alone, "package-lock.json"), "utf8"));
  const packages = Object.entries(lock.packages).filter(([key]) => key !== "");
  assert(packages.length <= 5, `${packages.length} packages`);
  assert(
    packages.every(([, each]) => !each.hasInstallScript),
    "an install script",
  );
  const bytes = sizeOf(path.join(alone, "node_modules"));
  assert(bytes <= 10 * 1024 * 1024, `${(bytes / 1024 / 1024).toFixed(1)} MB`);
});

await check("every file that the exports name is in the package", () => {
  const installed = path.join(alone, "node_modules", "toolmap");
  for (const entry of Object.values(manifest.exports)) {
    for (const [condition, file] of Object.entries(typeof entry === "string" ? { default: entry } : entry)) {
      if (condition !== "source") assert(existsSync(path.join(installed, file)), file);
    }
  }
  for (const file of ["README.md", "LICENSE", "docs/errors.md", "dist/LICENSES.txt"])
    assert(existsSync(path.join(installed, file)), file);
});

const app = path.join(work, "app");
const { devDependencies } = manifest;
await install(app, [
  tarball,
  `zod@${devDependencies.zod}`,
  `@anthropic-ai/sdk@${devDependencies["@anthropic-ai/sdk"]}`,
]);

/** The README's programs: its js blocks that begin with their file's name. */
const programs = [...readFileSync("README.md", "utf8").matchAll(/```js\n\/\/ (\S+\.mjs)[^\n]*\n([\s\S]*?)```/g)];
for (const [, file, text] of programs) writeFileSync(path.join(app, file), text);

/** Answers like the Messages API: a call first, then words, and 400 for a history that is not paired. */
const stub = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const { messages, tools } = JSON.parse(body);
    const result = messages.at(-1).content?.[0];
    const isSecond = messages.length === 3 && result?.type === "tool_result" && result.tool_use_id === "toolu_1";
    const content = isSecond
      ? [{ type: "text", text: `It is: ${result.content[0].text}` }]
      : [{ type: "tool_use", id: "toolu_1", name: tools[0].name, input: { city: "Oslo" } }];
    response.writeHead(messages.length === 1 || isSecond ? 200 : 400, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: "m",
        type: "message",
        role: "assistant",
        model: "stub",
        content,
        stop_reason: isSecond ? "end_turn" : "tool_use",
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
  });
});
await new Promise((resolve) => stub.listen(0, "127.0.0.1", resolve));
const env = {
  ...process.env,
  ANTHROPIC_BASE_URL: `http://127.0.0.1:${stub.address().port}`,
  ANTHROPIC_API_KEY: "none",
};

const expected = {
  "weather.mjs": /^Sunny in Oslo\n$/,
  "loop.mjs": /^It is: Sunny in Oslo\n$/,
  "ledger.mjs": /^paid 5 under order-7:p1\n$/,
  "rules.mjs": /^deny - remove "exec" from deny of layer "house"\nblocked ok\n$/,
};
await check("the README has the programs that are checked here", () => {
  assert(
    programs
      .map(([, file]) => file)
      .sort()
      .join() === Object.keys(expected).sort().join(),
    programs.map(([, file]) => file).join(),
  );
});
for (const node of [process.execPath, otherNode]) {
  const { stdout: version } = await run(node, ["--version"]);
  const named = `under ${version.trim()}`;
  for (const [file, pattern] of Object.entries(expected)) {
    await check(`${file} prints its answer ${named}`, async () => {
      const { stdout } = await run(node, [file], { cwd: app, env });
      assert(pattern.test(stdout), stdout);
    });
  }
  const cli = path.join(app, "node_modules", "toolmap", "bin", "toolmap.js");
  await check(`toolmap --version ${named}`, async () => {
    assert((await run(node, [cli, "--version"], { cwd: app })).stdout.trim() === manifest.version, "another version");
  });
  await check(`toolmap demo ${named}`, async () => {
    const { stdout } = await run(node, [cli, "demo", "--json"], { cwd: app });
    assert(JSON.parse(stdout).v === 1, stdout);
  });
  await check(`toolmap call grep pattern=TODO just works ${named}`, async () => {
    writeFileSync(path.join(app, "notes.txt"), "TODO: one thing\n");
    const { stdout } = await run(node, [cli, "call", "grep", "pattern=TODO"], { cwd: app });
    assert(stdout.includes("notes.txt:1: TODO: one thing"), stdout);
  });
}
await check("ledger.mjs paid once, though two Nodes ran it", () => {
  const record = readFileSync(path.join(app, "sessions", "order-7", "journal.jsonl"), "utf8");
  const types = record
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  assert(types.filter((type) => type === "intent").length === 1, types.join());
  assert(types.filter((type) => type === "session-closed").length >= 1, types.join());
});
stub.close();

await check("the types compile in a strict program of a user's", async () => {
  const source = [
    'import { createAgentSession, defineTool, type ToolResult } from "toolmap";',
    'import { builtinTools } from "toolmap/builtin";',
    'import { anthropic } from "toolmap/providers";',
    'import { scriptedModel } from "toolmap/testing";',
    'import { z } from "zod";',
    'const tool = defineTool({ name: "t", description: "", input: z.object({ n: z.number() }), execute: ({ n }) => n.toFixed(1) });',
    'const session = await createAgentSession({ tools: [tool], sources: [builtinTools({ root: "." })], model: scriptedModel([{ text: "hi" }]) });',
    'const result: ToolResult = await session.dispatch({ name: "t", input: { n: 1 } });',
    "console.log(result.outcome, anthropic.encodeTools(session.beginTurn().tools).length);",
  ];
  writeFileSync(path.join(app, "user.ts"), source.join("\n"));
  const tsc = path.resolve("node_modules/typescript/bin/tsc");
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--lib",
    "es2022,dom,esnext.disposable",
    "--types",
    "",
    "user.ts",
  ];
  await run(process.execPath, [tsc, ...options], { cwd: app }).catch((error) => {
    throw new Error(error.stdout);
  });
});

process.exitCode = failed > 0 ? 1 : 0;
