/** A piece of a text: from `start` up to and without `end`, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every place where `wanted` stands in `text`, overlapping ones too; exactly, or else with any kind of line end. */
export function findPlaces(text: string, wanted: string): readonly Span[] {
  const exact = findAll(text, wanted).map((start) => ({ start, end: start + wanted.length }));
  return exact.length > 0 ? exact : findWithAnyLineEnd(text, wanted);
}

/** The places from left to right that do not overlap an earlier one. */
export function dropOverlapping(places: readonly Span[]): readonly Span[] {
  let end = 0;
  return places.filter((place) => {
    if (place.start < end) return false;
    end = place.end;
    return true;
  });
}

function findAll(text: string, wanted: string): number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    starts.push(at);
    if (starts.length > MOST_PLACES) break;
  }
  return starts;
}

/** More places than this are not listed; one more is, to tell. */
export const MOST_PLACES = 100_000;

function findWithAnyLineEnd(text: string, wanted: string): readonly Span[] {
  if (!wanted.includes("\n")) return [];
  const folded = text.replaceAll("\r\n", "\n");
  const target = wanted.replaceAll("\r\n", "\n");
  if (folded === text && target === wanted) return [];
  const toOriginal = originalOffsets(text);
  return findAll(folded, target).map((start) => ({ start: toOriginal(start), end: toOriginal(start + target.length) }));
}

/** Maps an offset of the folded text to the original: each CRLF before it counts one more. */
function originalOffsets(text: string): (offset: number) => number {
  const folds: number[] = [];
  for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) folds.push(at - folds.length);
  return (offset) => offset + countBelow(folds, offset);
}

/** How many of the rising numbers are below `limit`. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
