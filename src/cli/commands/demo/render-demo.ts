import type { Outcome } from "../../../core/tool/result.ts";
import type { Paint } from "../../output/output.ts";
import { formatMs, styleOfOutcome } from "../../output/result-line.ts";
import { clipToWidth, padToWidth, textWidth } from "../../output/text-width.ts";
import { visibleLine } from "../../output/visible-text.ts";
import { formatTokens } from "../../token-count.ts";
import { SLOW_CALL } from "./demo-script.ts";
import type { DemoReport } from "./play-demo.ts";
import { renderTranscript } from "./render-transcript.ts";
import type { DemoCall } from "./tell-calls.ts";

/** The demo as text, 96 columns wide. Durations stand right-aligned at the ends of their lines. */
export function renderDemo(report: DemoReport, paint: Paint): string {
  return [
    ...renderPlan(report, paint),
    ...report.turns.flatMap((turn) => ["", ...renderTurn(turn, { report, paint })]),
    "",
    ...renderTranscript(report, { paint, width: WIDTH }),
    "",
    `${paint("bold", "model")}  ${visibleLine(report.text)}`,
    "",
    ...renderNext(paint),
  ].join("\n");
}

/** The text with every duration replaced, so that two runs give the same. */
export function maskDurations(text: string): string {
  return text.replace(/ *\b\d+(?:\.\d+)? m?s$/gm, (found) => "N ms".padStart(found.length));
}

const WIDTH = 96;
const NAME = 12;
const SUBJECT = 32;
const OUTCOME = 8;
const DURATION = 8;

function renderPlan({ plan }: DemoReport, paint: Paint): readonly string[] {
  const { visible, hidden, tokens } = plan;
  const names = visible.map(({ name }) => name).join(" ");
  const reasons = hidden.flatMap(({ name, diagnostics }) =>
    diagnostics.map(
      ({ reason, message }) => `         ${padToWidth(name, NAME)}${padToWidth(reason, 13)}${firstSentence(message)}`,
    ),
  );
  return [
    `${paint("bold", "visible")}  ${visible.length} tools, ${formatTokens(tokens.count)}: ${names}`,
    `${paint("bold", "hidden")}   ${hidden.length}`,
    ...reasons,
  ];
}

function firstSentence(text: string): string {
  return visibleLine(text).split(/\.\s/, 1)[0] ?? "";
}

interface RenderOptions {
  readonly report: DemoReport;
  readonly paint: Paint;
}

function renderTurn(
  { title, calls }: DemoReport["turns"][number],
  { report, paint }: RenderOptions,
): readonly string[] {
  const lines = calls.flatMap((call) => renderCall(call, paint));
  return [paint("dim", title), ...lines, ...renderOrder(calls, report.finished)];
}

function renderCall(
  { outcome, name, subject, said, source, fix, durationMs }: DemoCall,
  paint: Paint,
): readonly string[] {
  const time = durationMs === undefined ? "" : formatMs(durationMs);
  const words = visibleLine(source === undefined ? said : `${source}  ${said}`);
  const start = `${padToWidth(outcome, OUTCOME)}${padToWidth(name, NAME + 2)}${padToWidth(visibleLine(subject), SUBJECT)}`;
  const room = WIDTH - textWidth(start) - DURATION;
  const line = `${start}${padToWidth(clipToWidth(words, room), room)}${padToWidth(time, DURATION, "right")}`;
  const style = outcome === "missing" ? "red" : styleOfOutcome(outcome satisfies Outcome);
  const painted = paint(style, line.slice(0, outcome.length)) + line.slice(outcome.length);
  return [painted.trimEnd(), ...(fix === undefined ? [] : [`${" ".repeat(OUTCOME)}fix: ${visibleLine(fix)}`])];
}

/** Says so where the calls of an answer ended in another order than they were made. */
function renderOrder(calls: readonly DemoCall[], finished: readonly string[]): readonly string[] {
  // Of other calls that overlap, either may be first: that differs from run to run, and shows nothing.
  if (!calls.some(({ id }) => id === SLOW_CALL)) return [];
  const done = calls.toSorted((left, right) => finished.indexOf(left.id) - finished.indexOf(right.id));
  if (done.every((call, at) => call === calls[at])) return [];
  const names = done.map(({ subject }) => subject).join(" before ");
  return [`${" ".repeat(OUTCOME)}${names}, and still the model gets the results in the order of its calls`];
}

function renderNext(paint: Paint): readonly string[] {
  const rows = [
    ["toolmap tools", "what a model sees in your folder, and what it costs"],
    ["toolmap explain exec", "whether it would run, and what decides"],
    ["toolmap call grep pattern=TODO", "one call through the same pipeline"],
    ["toolmap run --script turns.json", "a model of your own making"],
  ];
  return rows.map(
    ([command = "", why = ""], at) => `${at === 0 ? paint("bold", "next") : "    "}   ${padToWidth(command, 34)}${why}`,
  );
}
