import type { Warning } from "../core/tool/diagnostic.ts";
import type { Output } from "./output/output.ts";
import { visibleLine } from "./output/visible-text.ts";

/** Says what the session has to say, on stderr. That a model's calls may find nobody to ask matters to its callers alone. */
export function warn(
  warnings: readonly Warning[],
  { out, isForModel }: { readonly out: Output; readonly isForModel: boolean },
): void {
  for (const warning of warnings) {
    if (warning.code !== NOBODY_TO_ASK || isForModel) out.words(out.paintWords("yellow", describe(warning)));
  }
}

const NOBODY_TO_ASK = "ask-without-approver";

function describe({ code, message, fix, source }: Warning): string {
  const wayOut = code === NOBODY_TO_ASK ? "On a terminal, without --no-input and CI, you are asked." : fix;
  return visibleLine([source && `${source}:`, message, wayOut].filter((part) => part !== undefined).join(" "));
}
