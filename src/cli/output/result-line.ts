import type { Outcome, ToolResult } from "../../core/tool/result.ts";
import { contentText } from "./content-text.ts";
import type { Paint, Style } from "./output.ts";
import { clipToWidth, padToWidth } from "./text-width.ts";
import { visibleLine } from "./visible-text.ts";

/** A finished call on one line: outcome, name, what it said, how long it took. A refusal is not clipped: it says why. */
export function resultLine(result: ToolResult, paint: Paint): string {
  const said = visibleLine(contentText(result));
  const { outcome, name, details } = result;
  const parts = [
    paint(styleOfOutcome(outcome), padToWidth(outcome, 8)),
    padToWidth(visibleLine(name), 12),
    outcome === "ok" ? clipToWidth(said, 60) : said,
    ...(details?.durationMs === undefined ? [] : [formatMs(details.durationMs)]),
  ];
  return parts.join("  ");
}

export function styleOfOutcome(outcome: Outcome): Style {
  if (outcome === "ok") return "green";
  return outcome === "error" || outcome === "interrupted" ? "red" : "yellow";
}

/** `4 ms`, `1.2 s`. */
export function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
