import type { Paint } from "../../output/output.ts";
import { clipToWidth, padToWidth } from "../../output/text-width.ts";
import { visibleLine } from "../../output/visible-text.ts";
import type { AnthropicBlock, AnthropicMessage } from "./anthropic-transcript.ts";
import type { DemoReport } from "./play-demo.ts";

/** The answers whose calls were refused or failed, as the model is told. */
export function renderTranscript(
  { transcript, turns }: Pick<DemoReport, "transcript" | "turns">,
  { paint, width }: { readonly paint: Paint; readonly width: number },
): readonly string[] {
  const refused = turns.flatMap(({ calls }) => calls).filter(({ outcome }) => outcome !== "ok");
  const isShown = (block: AnthropicBlock): boolean => refused.some(({ id }) => id === callIdOf(block));
  const shown = transcript.filter(({ content }) => content.some(isShown));
  return [
    paint("dim", "what the model's provider receives (Anthropic's shape, shortened)"),
    ...shown.flatMap(renderMessage).map((line) => clipToWidth(line, width)),
  ];
}

function renderMessage({ role, content }: AnthropicMessage): readonly string[] {
  return content.map((block) => `${padToWidth(role, 11)}${visibleLine(describeBlock(block))}`);
}

function callIdOf(block: AnthropicBlock): string | undefined {
  if (block.type === "text") return undefined;
  return block.type === "tool_use" ? block.id : block.tool_use_id;
}

function describeBlock(block: AnthropicBlock): string {
  const start = `${padToWidth(block.type, 13)}${padToWidth(callIdOf(block) ?? "", 14)}`;
  switch (block.type) {
    case "text":
      return start + block.text;
    case "tool_use":
      return `${start}${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result": {
      const text = block.content.map((each) => (each.type === "text" ? each.text : each.type)).join(" ");
      return `${start}${block.is_error ? "is_error " : ""}${text}`;
    }
  }
}
