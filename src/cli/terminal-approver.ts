import { createInterface } from "node:readline";
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../core/dispatch/approval.ts";
import { formatOrigin } from "../core/tool/owner.ts";
import type { CommandContext } from "./command-context.ts";
import { visibleLine, visibleText } from "./output/visible-text.ts";

/**
 * Asks on the terminal: this once, or no. One question at a time, each read anew, so that nothing typed before it
 * was shown answers it. The end of the input is a no.
 */
export function terminalApprover({ host, out }: Pick<CommandContext, "host" | "out">): Approver {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ask(request, signal) {
      const answer = last.then(async () => {
        signal.throwIfAborted();
        out.failure(describeRequest(request, out.paintWords));
        return await readAnswer(host, signal);
      });
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}

type Paint = CommandContext["out"]["paintWords"];

/** Everything that decides: who wants what, with which input, and why somebody is asked. */
function describeRequest({ tool, input, reason, preview }: ApprovalRequest, paint: Paint): string {
  const shown = preview?.flatMap((block) => (block.type === "text" ? [clip(block.text)] : [])) ?? [];
  const head = `${paint("yellow", "approve")} ${paint("bold", visibleLine(tool.name))} (${visibleLine(formatOrigin(tool.owner))})`;
  const parts = [head, clip(JSON.stringify(input, undefined, 2)), ...shown, reason];
  return parts.map(visibleText).join("\n").replaceAll("\n", "\n  ");
}

const LONGEST = 8000;

/** What is not shown is said: nobody approves the rest unseen without knowing. */
function clip(text: string): string {
  return text.length <= LONGEST
    ? text
    : `${text.slice(0, LONGEST)}\n… and ${text.length - LONGEST} more characters that are not shown`;
}

/** `terminal: false` leaves Ctrl-C to the process. */
async function readAnswer({ stdin, stderr }: CommandContext["host"], signal: AbortSignal): Promise<ApprovalAnswer> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    stderr.write("Run it once? [y/N] ");
    const line = await nextLine(lines, signal);
    const isYes = /^\s*y(es)?\s*$/i.test(line ?? "");
    return { answer: isYes ? "approved" : "rejected", by: "person" };
  } finally {
    lines.close();
  }
}

/** A line; undefined where the input ended. Rejects when the signal aborts. */
function nextLine(lines: ReturnType<typeof createInterface>, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const withdraw = (): void => reject(signal.reason as Error);
    const settle = (line?: string): void => {
      signal.removeEventListener("abort", withdraw);
      resolve(line);
    };
    lines.once("line", settle);
    lines.once("close", () => settle());
    signal.addEventListener("abort", withdraw, { once: true });
  });
}
