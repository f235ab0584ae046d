import { clipToWidth, padToWidth, textWidth } from "./text-width.ts";

/** How a column is laid out. The last one takes what is left of the line, and is clipped to it. */
export interface Column {
  readonly align?: "left" | "right";
  /** Applied once the cell has its width, so that colours do not count. */
  readonly paint?: (text: string) => string;
}

export interface TableOptions {
  readonly columns: readonly Column[];
  /** Columns of the terminal; absent = nothing is clipped. */
  readonly width?: number | undefined;
  readonly indent?: number;
}

/** Rows of plain cells as lines. A cell holds no line end. */
export function layoutTable(rows: readonly (readonly string[])[], options: TableOptions): readonly string[] {
  const { columns, indent = 0 } = options;
  const widths = columns.map((_, at) => Math.max(0, ...rows.map((row) => textWidth(row[at] ?? ""))));
  return rows.map((row) => `${" ".repeat(indent)}${layoutRow(row, widths, options)}`.trimEnd());
}

const GAP = 2;
const NARROWEST_LAST = 20;

function layoutRow(
  row: readonly string[],
  widths: readonly number[],
  { columns, width, indent = 0 }: TableOptions,
): string {
  const last = columns.length - 1;
  const before = widths.slice(0, last).reduce((sum, each) => sum + each + GAP, indent);
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(NARROWEST_LAST, width - before);
  const cells = columns.map(({ align = "left", paint = plain }, at) => {
    const cell = row[at] ?? "";
    if (at === last && align === "left") return paint(clipToWidth(cell, room));
    return paint(padToWidth(cell, widths[at] ?? 0, align));
  });
  return cells.join(" ".repeat(GAP));
}

function plain(text: string): string {
  return text;
}
