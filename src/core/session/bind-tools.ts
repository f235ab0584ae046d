import { definitionDigest } from "../dispatch/approval-digest.ts";
import type { Refusal } from "../dispatch/call-run.ts";
import type { View } from "../policy/view.ts";
import type { ToolCall } from "../tool/call.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import type { ToolResult } from "../tool/result.ts";
import type { BoundTool } from "../tool/tool.ts";

export interface Binding {
  currentView(): View;
  dispatch(
    call: ToolCall,
    options: { readonly signal?: AbortSignal | undefined; readonly refusal?: Refusal | undefined },
  ): Promise<ToolResult>;
}

/** The whole view as bound tools: an `execute` is a dispatch by name, so no path around the pipeline exists. */
export function bindTools(view: View, binding: Binding): ReadonlyMap<string, BoundTool> {
  return new Map([...view.entries.values()].map((entry) => [entry.descriptor.name, bind(entry.descriptor, binding)]));
}

function bind(descriptor: ToolDescriptor, binding: Binding): BoundTool {
  return Object.freeze<BoundTool>({
    descriptor,
    execute: (input, context) => {
      const current = binding.currentView().entries.get(descriptor.name)?.descriptor;
      const refusal = current && !isSame(descriptor, current) ? CHANGED : undefined;
      const { callId, signal } = context ?? {};
      return binding.dispatch(
        { ...(callId === undefined ? {} : { id: callId }), name: descriptor.name, input },
        { signal, refusal },
      );
    },
  });
}

const CHANGED: Refusal = Object.freeze({
  outcome: "unavailable",
  text: "The tool's definition has changed since it was taken from the session. Take it again.",
});

function isSame(bound: ToolDescriptor, current: ToolDescriptor): boolean {
  return bound === current || definitionDigest(bound) === definitionDigest(current);
}
