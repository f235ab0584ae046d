import type { CommandContext } from "../command-context.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { visibleLine } from "../output/visible-text.ts";
import { playDemo } from "./demo/play-demo.ts";
import { renderDemo } from "./demo/render-demo.ts";

/** `toolmap demo`. */
export async function demo({ out, signal }: CommandContext): Promise<ExitCode> {
  const report = await playDemo({ signal });
  if (out.json) out.document(report);
  else out.line(renderDemo(report, out.paint));
  for (const surprise of report.surprises) out.failure(visibleLine(`not as written: ${surprise}`));
  if (signal.aborted) return EXIT.cancelled;
  return report.surprises.length === 0 ? EXIT.ok : EXIT.failed;
}
