import { clipText } from "../json.ts";
import { findTool, type Found, suggestTools, type View } from "../policy/view.ts";
import type { CallRun } from "./call-run.ts";

/** Finds the tool by its exact name, else by its canonical name, else says which visible ones are nearest. */
export function lookUp(run: CallRun): void {
  const { view } = run.scope;
  const { name } = run.call;
  const exact = view.entries.get(name);
  if (exact) {
    run.entry = exact;
    return;
  }
  if (run.call.isUnreadable) {
    run.refuse("invalid-input", "The call could not be read: it must be an object with a name, and an input as JSON.");
    return;
  }
  const found = findTool(view, name) ?? findAddedSince(run, name);
  if (!found) {
    run.name = clipText(name, 128);
    run.refuse("unknown-tool", describeUnknown(view, name));
    return;
  }
  run.entry = found.entry;
  run.name = found.entry.descriptor.name;
  if (found.repair !== undefined) run.repairs = [clipText(found.repair, 300)];
}

/** A tool that came after the turn had begun: it is known, and was not sent. */
function findAddedSince({ scope, services }: CallRun, name: string): Found | undefined {
  return scope.sent && findTool(services.currentView(), name);
}

/** Bounded, however long the name: it goes back to a model. */
function describeUnknown(view: View, name: string): string {
  const nearest = suggestTools(view, name);
  const head = `No tool "${clipText(name, 64)}" in this session`;
  if (nearest.length > 0) return `${head}; did you mean ${nearest.map((each) => `"${each}"`).join(" or ")}?`;
  const { disableBuiltInTools, allowedToolNames } = view.gates;
  if (allowedToolNames) return `${head}: the session was created with allowedToolNames, and it is not among them.`;
  if (disableBuiltInTools) return `${head}. Built-in tools are switched off (disableBuiltInTools).`;
  return `${head}. ${view.visible.length === 0 ? "No tool is visible." : "Call one of the tools that you were given."}`;
}
