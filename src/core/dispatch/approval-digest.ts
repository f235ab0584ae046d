import { digestJson } from "../digest.ts";
import type { JsonObject } from "../json.ts";
import type { Content } from "../tool/content.ts";
import type { ToolDescriptor } from "../tool/descriptor.ts";
import { copyJson } from "../tool/read-content.ts";
import type { CallRun } from "./call-run.ts";

const digestOf = new WeakMap<ToolDescriptor, string>();

/** The digest of a tool's definition. Computed when it is first read. */
export function definitionDigest(descriptor: ToolDescriptor): string {
  const known = digestOf.get(descriptor);
  if (known !== undefined) return known;
  const fresh = digestJson(copyJson(descriptor) ?? null);
  digestOf.set(descriptor, fresh);
  return fresh;
}

/**
 * What an approval is bound to, in two parts joined by a dot: definition, final input, reason (which names every rule and
 * hook that asked), session, caller and preview; then the input as the caller gave it, so that a later process can tell
 * that it holds the same call although a hook had rewritten it.
 */
export function approvalDigest(
  run: CallRun,
  { reason, preview }: { readonly reason: string; readonly preview: readonly Content[] | undefined },
): string {
  const bound: JsonObject = {
    tool: definitionDigest(run.found.descriptor),
    input: run.checkedInput,
    reason,
    session: run.sessionId,
    caller: copyJson(run.caller) ?? null,
    preview: copyJson(preview ?? null) ?? null,
  };
  const given = run.prepared?.digest.split(".")[1] ?? digestJson(run.originalInput ?? run.checkedInput);
  return `${digestJson(bound)}.${given}`;
}

/** The second part: whether `input` is what the digest's call was given. */
export function digestIsOfInput(digest: string, input: JsonObject): boolean {
  return digest.split(".")[1] === digestJson(input);
}
