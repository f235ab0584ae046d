import type { Problem } from "../../../journal/problem.ts";
import type { Output } from "../../output/output.ts";
import { visibleLine } from "../../output/visible-text.ts";

/** What is wrong with a record, a line each, with where it stands in the file. */
export function printProblems(problems: readonly Problem[], out: Output): void {
  for (const { kind, offset, bytes, message } of problems) {
    out.line(`  ${out.paint("yellow", kind)}  ${visibleLine(message)} (byte ${offset}, ${bytes} long)`);
  }
}
