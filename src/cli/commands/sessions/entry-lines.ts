import type { JsonObject } from "../../../core/json.ts";
import { isRecord } from "../../../core/json.ts";
import { readSessionRecord } from "../../../core/session/session-record.ts";
import type { AssistantPart, Message } from "../../../core/tool/message.ts";
import type { ToolResult } from "../../../core/tool/result.ts";
import type { RecordedEntry } from "../../../journal/read-session.ts";
import { contentText } from "../../output/content-text.ts";
import type { Paint } from "../../output/output.ts";
import { formatMs, styleOfOutcome } from "../../output/result-line.ts";
import { clipToWidth, padToWidth } from "../../output/text-width.ts";
import { visibleLine, visibleText } from "../../output/visible-text.ts";

/** The entries of one record as lines for people, each in its turn. They come from outside: any shape is shown as well as it goes. */
export class EntryLines {
  readonly #paint: Paint;
  /** Calls that were shown when the model made them, or when they began. */
  readonly #shown = new Set<string>();
  /** Calls that had begun, by id: their names. */
  readonly #running = new Map<string, string>();

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  of({ at, entry }: RecordedEntry): readonly string[] {
    switch (entry["type"]) {
      case "session-opened":
        return [this.#dim(`${entry["isResumed"] === true ? "taken up" : "opened"} ${at}`)];
      case "opened-in":
        return [this.#dim(`in ${textOf(entry["folder"])}`)];
      case "message":
        return readSessionRecord([entry]).messages.flatMap((message) => this.#message(message));
      case "intent":
        return this.#began(entry);
      case "outcome":
        return this.#ended(entry);
      case "approval-requested":
        return [this.#asked(entry)];
      case "approval-answered":
        return [this.#answered(entry)];
      case "call-noted":
        return [this.#dim(`note  ${textOf(entry["text"])}`)];
      case "state":
        return [this.#dim(`state ${textOf(entry["key"])} = ${briefJson(entry["value"])}`)];
      case "session-closed":
        return [this.#dim(`closed ${at}`)];
      case "repaired":
        return [
          this.#paint(
            "yellow",
            `repaired ${visibleLine(at)}: what it was is in ${visibleLine(textOf(entry["original"]))}`,
          ),
        ];
      default:
        return [this.#dim(`${textOf(entry["type"])} ${textOf(entry["name"])}`.trimEnd())];
    }
  }

  /** The calls that began and did not end. */
  unfinished(): readonly string[] {
    return [...this.#running.values()];
  }

  #message(message: Message): readonly string[] {
    if (message.role === "user") {
      return ["", this.#paint("bold", "user"), ...indented(visibleText(contentText(message)))];
    }
    if (message.role !== "assistant") return [];
    return ["", this.#paint("bold", "model"), ...message.parts.flatMap((part) => this.#part(part))];
  }

  #part(part: AssistantPart): readonly string[] {
    switch (part.type) {
      case "text":
        return indented(visibleText(part.text));
      case "reasoning":
        return clipped(visibleText(part.text)).map((line) => this.#paint("dim", line));
      case "tool-call":
        this.#shown.add(part.call.id);
        return [this.#call(part.call.name, part.call.input)];
      case "other":
        return [this.#dim(briefJson(part.value))];
    }
  }

  #began(entry: JsonObject): readonly string[] {
    const callId = textOf(entry["callId"]);
    const name = textOf(entry["name"]);
    this.#running.set(callId, name);
    if (this.#shown.has(callId)) return [];
    this.#shown.add(callId);
    return [this.#call(name, entry["given"] ?? entry["input"])];
  }

  #ended(entry: JsonObject): readonly string[] {
    const callId = textOf(entry["callId"]);
    this.#running.delete(callId);
    const result = readSessionRecord([entry]).calls.get(callId)?.result;
    return result ? this.#result(result) : [this.#dim(`outcome ${textOf(entry["outcome"])}`)];
  }

  #call(name: string, input: unknown): string {
    return `  ${this.#paint("cyan", "call")}  ${visibleLine(name)} ${visibleLine(briefJson(input))}`;
  }

  #result(result: ToolResult): readonly string[] {
    const { outcome, name, details } = result;
    const ms = details?.durationMs;
    const parts = [
      this.#paint(styleOfOutcome(outcome), padToWidth(outcome, 8)),
      visibleLine(name),
      ...(typeof ms === "number" ? [formatMs(ms)] : []),
    ];
    return [`  ${parts.join("  ")}`, ...clipped(visibleText(contentText(result))).map((line) => `  ${line}`)];
  }

  #asked({ name, request }: JsonObject): string {
    const reason = isRecord(request) ? textOf(request["reason"]) : "";
    return `  ${this.#paint("yellow", "asks")}  ${visibleLine(textOf(name))}: ${visibleLine(reason)}`;
  }

  #answered({ answer }: JsonObject): string {
    const { answer: said, by, message } = isRecord(answer) ? answer : {};
    const words = [textOf(said), ...(by === undefined ? [] : [`by ${textOf(by)}`])].join(" ");
    return `  ${this.#paint("yellow", visibleLine(message === undefined ? words : `${words}: ${textOf(message)}`))}`;
  }

  #dim(text: string): string {
    return this.#paint("dim", `  ${visibleLine(text)}`);
  }
}

const MOST_LINES = 8;
const LONGEST_LINE = 200;
const INDENT = "  ";

function indented(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => INDENT + line);
}

/** The beginning, and how much is not shown. */
function clipped(text: string): readonly string[] {
  const lines = indented(text);
  const shown = lines.slice(0, MOST_LINES).map((line) => clipToWidth(line, LONGEST_LINE));
  const rest = lines.length - shown.length;
  return rest === 0 ? shown : [...shown, `${INDENT}… ${rest} more line${rest === 1 ? "" : "s"}`];
}

function briefJson(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : briefJson(value);
}
