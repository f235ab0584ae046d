import { differsOnlyInLineEnds, fitLineEnds } from "./line-ends.ts";
import { lineNumberAt, listLineNumbers } from "./line-numbers.ts";
import { dropOverlapping, findPlaces, MOST_PLACES, type Span } from "./match-edit.ts";
import { describeNearest } from "./nearest-lines.ts";
import { cannot, type Task } from "./tool-failure.ts";

/** One wanted change: `old` stands in the text exactly once, or `all` of its places are meant. */
export interface Edit {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** A span of the original and what goes there instead. */
export interface Replacement extends Span {
  readonly text: string;
}

/** The places of all edits in the original text, in order. Throws a ToolFailure that says which edit cannot be applied and why. */
export function planEdits(task: Task, text: string, edits: readonly Edit[]): readonly Replacement[] {
  const planned = edits.flatMap((edit, index) => planEdit({ task, text, edit, label: labelOf(index, edits.length) }));
  planned.sort((left, right) => left.start - right.start || left.end - right.end);
  for (const [index, { start }] of planned.entries()) {
    const previous = planned[index - 1];
    if (!previous || previous.end <= start) continue;
    throw cannot(task, `two edits overlap at line ${lineNumberAt(text, start)}`, "Join them into one edit");
  }
  return planned;
}

/** The text with every replacement made. Everything between them is the original, unit by unit. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, text: instead } of replacements) {
    parts.push(text.slice(at, start), instead);
    at = end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

interface PlanRequest {
  readonly task: Task;
  readonly text: string;
  readonly edit: Edit;
  readonly label: string;
}

function planEdit(request: PlanRequest): readonly Replacement[] {
  const { text, edit } = request;
  refuseUseless(request);
  const places = findPlaces(text, edit.old);
  if (places.length === 0) throw notFound(request);
  if (places.length > MOST_PLACES) {
    throw cannot(
      request.task,
      `${request.label}"old" stands in the file more than ${MOST_PLACES} times`,
      "Give a longer text",
    );
  }
  if (places.length > 1 && edit.all !== true) throw ambiguous(request, places);
  // Where only line ends differ, they are what the edit is about.
  const isAboutLineEnds = differsOnlyInLineEnds(edit.old, edit.new);
  return dropOverlapping(places).map(({ start, end }) => ({
    start,
    end,
    text: isAboutLineEnds ? edit.new : fitLineEnds(text, { start, end }, edit.new),
  }));
}

function refuseUseless({ task, edit, label }: PlanRequest): void {
  if (edit.old === "")
    throw cannot(task, `${label}"old" is empty`, "Give the text to replace, or use write for a whole file");
  if (edit.old === edit.new) throw cannot(task, `${label}"old" and "new" are the same, so nothing would change`);
  if (!edit.new.isWellFormed()) throw cannot(task, `${label}"new" holds half a character (a lone surrogate)`);
}

function notFound({ task, text, edit, label }: PlanRequest): Error {
  if (hasLineNumbers(edit.old)) {
    const fix = "Leave out the numbers and arrows that read puts before each line";
    return cannot(task, `${label}"old" holds line numbers, which are not part of the file`, fix);
  }
  return cannot(
    task,
    `${label}"old" does not stand in the file${describeNearest(text, edit.old)}`,
    "Nothing was changed",
  );
}

function hasLineNumbers(old: string): boolean {
  return old.split("\n").every((line) => line === "" || /^\s*\d+→/.test(line));
}

function ambiguous({ task, text, label }: PlanRequest, places: readonly Span[]): Error {
  const lines = listLineNumbers(text, places);
  const fix = 'Give more of the text around it, or "all": true to replace every one. Nothing was changed';
  return cannot(task, `${label}"old" stands in the file ${places.length} times, at ${lines}`, fix);
}

function labelOf(index: number, total: number): string {
  return total === 1 ? "" : `in edit ${index + 1} of ${total}, `;
}
