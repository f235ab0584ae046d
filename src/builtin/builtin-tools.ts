import { systemClock, type Clock } from "../core/clock.ts";
import type { SpillPort } from "../core/dispatch/ports.ts";
import type { SourceSnapshot, ToolSource } from "../core/registry/source.ts";
import type { HiddenToolPlanEntry } from "../core/tool/diagnostic.ts";
import type { AnyTool } from "../core/tool/tool.ts";
import { editTool } from "./edit.ts";
import { execTool } from "./exec.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { RunningCommands } from "./running-commands.ts";
import { createWorkspace } from "./workspace.ts";
import { writeTool } from "./write.ts";

/** Options of `builtinTools`. */
export interface BuiltinOptions {
  /** The folder that the tools work in: file tools cannot leave it, commands start in it. Must exist. */
  readonly root: string;
  /** Where the session keeps long outputs, so that `read` can page through them. The same port as the session's. */
  readonly spill?: SpillPort | undefined;
  /** Default: the running one. */
  readonly platform?: string | undefined;
  /** Where commands get their few variables from. Default: this process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * The built-in tools as a source: read, write, edit, exec, grep, ls, find. Its list never changes. Closing it ends what
 * commands left running. Throws `bad-option` if the root is not a folder.
 */
export function builtinTools(options: BuiltinOptions): ToolSource {
  const commands = new RunningCommands();
  const snapshot = createSnapshot(options, commands);
  return Object.freeze({
    id: "builtin",
    kind: "core" as const,
    list: () => snapshot,
    subscribe: () => () => undefined,
    close: async () => commands.close(),
  });
}

function createSnapshot(options: BuiltinOptions, commands: RunningCommands): SourceSnapshot {
  const { root, spill, platform = process.platform, env = process.env, clock = systemClock } = options;
  const workspace = createWorkspace(root, platform);
  const fileTools: readonly AnyTool[] = [
    readTool(workspace, spill),
    writeTool(workspace),
    editTool(workspace),
    grepTool(workspace, clock),
    lsTool(workspace),
    findTool(workspace),
  ];
  const exec = execTool(workspace, { env, clock, commands });
  if (platform !== "win32") return Object.freeze({ tools: [...fileTools, exec], state: "ready" });
  return Object.freeze({ tools: fileTools, state: "ready", hidden: [hideHere(exec)] });
}

/** Commands on Windows are not tested, so they are not offered. */
function hideHere({ descriptor }: AnyTool): HiddenToolPlanEntry {
  return { descriptor, diagnostics: [{ reason: "context-mismatch", message: "platform" }] };
}
