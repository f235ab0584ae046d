import type { AgentTool } from "../core/tool/tool.ts";
import { coreTool } from "./core-tool.ts";
import { replaceFile } from "./replace-file.ts";
import { fileKeys } from "./resource-keys.ts";
import { cannot } from "./tool-failure.ts";
import type { Workspace } from "./workspace.ts";

export interface WriteInput {
  readonly path: string;
  readonly content: string;
}

/** Creates or replaces a whole file. */
export function writeTool(workspace: Workspace): AgentTool<WriteInput, WriteInput> {
  return coreTool<WriteInput>({
    name: "write",
    description:
      "Creates a file, or replaces all of its content, as UTF-8. Folders above it are created. " +
      "To change a part of a file, use edit. Keeps the file's mode; refuses read-only files.",
    properties: {
      path: { type: "string", description: "File, relative to the root." },
      content: { type: "string", description: "The whole content, exactly as it is to be." },
    },
    required: ["path", "content"],
    // Destructive: the former content is lost. Writing the same once more changes nothing.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    resources: ({ path }) => fileKeys(workspace, path, "write"),
    execute: async ({ path, content }) => {
      const task = { verb: "write", path };
      if (!content.isWellFormed()) throw cannot(task, "the content holds half a character (a lone surrogate)");
      const bytes = Buffer.from(content);
      const { place, before } = await replaceFile(workspace, { task, bytes });
      if (!before) return `Created ${place.shown} (${bytes.length} bytes).`;
      return `Replaced ${place.shown} (${bytes.length} bytes; before ${before.size}).`;
    },
  });
}
