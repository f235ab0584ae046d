import { type Command, Option } from "commander";
import { addSessionCommands } from "./add-session-commands.ts";
import { CALLER_KINDS, type CallerKind } from "./caller-kind.ts";
import { type Choose, examples } from "./command-grammar.ts";
import { readDuration } from "./input/read-duration.ts";

/** Adds every command. Each loads its own code only when it runs, so that the others start quickly. */
export function addCommands(program: Command, choose: Choose): void {
  addDemo(program, choose);
  addTools(program, choose);
  addExplain(program, choose);
  addCall(program, choose);
  addRun(program, choose);
  addSessionCommands(program, choose);
}

function addDemo(program: Command, choose: Choose): void {
  program
    .command("demo")
    .summary("see it work: no key, no network, touches nothing of yours")
    .description("Plays a scripted model against real tools on a temporary copy, and removes it afterwards.")
    .addHelpText("after", examples("toolmap demo", "toolmap demo --json"))
    .action((_options: unknown, command: Command) => {
      choose(command, async (context) => await (await import("./commands/demo.ts")).demo(context));
    });
}

function addTools(program: Command, choose: Choose): void {
  program
    .command("tools")
    .summary("list the tools, visible and hidden, or show one")
    .description("Lists the tools that a model sees here and what they cost; with a name, shows that tool.")
    .argument("[name]", "a tool's name, or server/tool")
    .option("--all", "hidden and shadowed tools and sources too")
    .option("--hidden", "only the hidden tools, with every reason")
    .addOption(configured("--agent <name>"))
    .addOption(configured("--model <name>"))
    .addHelpText(
      "after",
      examples("toolmap tools", "toolmap tools --all", "toolmap tools read", "toolmap tools --json"),
    )
    .action(
      (name: string | undefined, options: { readonly all?: boolean; readonly hidden?: boolean }, command: Command) => {
        choose(
          command,
          async (context) => await (await import("./commands/tools.ts")).tools({ name, ...options }, context),
        );
      },
    );
}

function addExplain(program: Command, choose: Choose): void {
  program
    .command("explain")
    .alias("why")
    .summary("say whether a call would run, and what decides")
    .description("Takes a call up to its approval, runs nothing, and tells what each stage says.")
    .argument("<tool>", "a tool's name, or server/tool")
    .argument("[input...]", INPUT_WORDS)
    .addOption(callerOption("for whom").default("model", "a model"))
    .addOption(configured("--agent <name>"))
    .addHelpText(
      "after",
      examples("toolmap explain exec", "toolmap why edit path=README.md", "toolmap explain write --as person"),
    )
    .action((name: string, words: readonly string[], options: { readonly as: CallerKind }, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/explain.ts")).explain({ name, words, ...options }, context),
      );
    });
}

function addCall(program: Command, choose: Choose): void {
  program
    .command("call")
    .summary("call a tool and print its result")
    .description("Sends one call through the pipeline that a model's calls take.")
    .argument("<tool>", "a tool's name, or server/tool")
    .argument("[input...]", INPUT_WORDS)
    .addOption(
      new Option("--timeout <time>", "how long it may take, such as 500ms, 30s or 2m").argParser((text) =>
        readDuration(text, "--timeout"),
      ),
    )
    .addOption(callerOption("who calls (a person on a terminal, else a program)"))
    .addOption(configured("--agent <name>"))
    .addHelpText(
      "after",
      examples(
        "toolmap call grep pattern=TODO",
        "toolmap call read path=README.md limit:=20",
        `toolmap call write '{"path": "a.md", "content": "hello"}'`,
        'echo \'{"path": "a.md"}\' | toolmap call read -',
        "toolmap call exec command='npm test' --timeout 2m --json",
      ),
    )
    .action((name: string, words: readonly string[], options: CallFlags, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/call.ts")).call({ name, words, ...options }, context),
      );
    });
}

interface CallFlags {
  readonly timeout?: number;
  readonly as?: CallerKind;
}

function addRun(program: Command, choose: Choose): void {
  program
    .command("run")
    .summary("let a model work with the tools")
    .description("Runs a prompt until the model is done. The model is a script of turns: --script FILE.")
    .argument("[prompt]", "what to tell the model")
    .option("--script <file>", "the turns that the model plays, as JSON")
    .addOption(configured("--model <name>"))
    .option("--session <id>", "go on with this session")
    .option("-c, --continue", "go on with the newest session of this folder")
    .addOption(configured("--agent <name>"))
    .addHelpText(
      "after",
      `${examples("toolmap run --script turns.json", 'toolmap run "What is here?" --script turns.json --json', "toolmap run -c --script more.json")}

A script:
  { "turns": [{ "calls": [{ "name": "ls", "input": {} }] }, { "text": "done" }] }`,
    )
    .action((prompt: string | undefined, options: RunFlags, command: Command) => {
      choose(
        command,
        async (context) => await (await import("./commands/run.ts")).run({ prompt, ...options }, context),
      );
    });
}

interface RunFlags {
  readonly script?: string;
  readonly session?: string;
  readonly continue?: boolean;
}

const INPUT_WORDS = "one JSON object, - for JSON from stdin, or key=value, key:=json, key=@file";

function callerOption(description: string): Option {
  return new Option("--as <kind>", description).choices(CALLER_KINDS);
}

/** Known, so that it can be refused with a sentence; not shown before it works. */
function configured(flags: string): Option {
  return new Option(flags).hideHelp();
}
