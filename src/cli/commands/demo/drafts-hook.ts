import type { Hook } from "../../../core/hooks/hook.ts";
import { DRAFTS } from "./demo-folder.ts";

export interface DraftsHook {
  readonly hook: Hook;
  /** Call ids, and the path that each was sent to. */
  readonly redirected: ReadonlyMap<string, string>;
}

/** The owner's README stays as it is: an edit of it goes into its copy among the drafts. */
export function createDraftsHook(): DraftsHook {
  const redirected = new Map<string, string>();
  const hook: Hook = {
    name: "drafts",
    tools: ["edit"],
    beforeToolCall({ call, input }) {
      if (input["path"] !== "README.md") return undefined;
      const path = `${DRAFTS}/README.md`;
      redirected.set(call.id, path);
      return { input: { ...input, path } };
    },
  };
  return { hook, redirected };
}
