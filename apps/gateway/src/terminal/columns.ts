import { cutTo, padTo, widthOf } from "./text-width.ts";

/** One column of a list. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Gives way first when the list is wider than the terminal. */
  readonly flexible?: true;
}

export interface ColumnOptions {
  /** Columns of the terminal. */
  readonly width: number;
  /** Stands for text that was cut off. */
  readonly cut: string;
}

const gap = "  ";
const narrowest = 8;

/** Aligned lines, the titles first; cells hold plain one-line text. */
export function formatColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, cut }: ColumnOptions,
): readonly string[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ""))),
  );
  shrink(columns, widths, width);
  const line = (cells: readonly string[]) =>
    columns
      .map(({ align }, index) => padTo(cutTo(cells[index] ?? "", widths[index] ?? 0, cut), widths[index] ?? 0, align))
      .join(gap)
      .trimEnd();
  return [line(columns.map(({ title }) => title)), ...rows.map(line)];
}

function shrink(columns: readonly Column[], widths: number[], width: number): void {
  const total = widths.reduce((sum, column) => sum + column, 0) + gap.length * (columns.length - 1);
  let excess = total - width;
  for (const [index, column] of columns.entries()) {
    if (excess <= 0) return;
    if (column.flexible !== true) continue;
    const taken = Math.min(excess, Math.max(0, (widths[index] ?? 0) - narrowest));
    widths[index] = (widths[index] ?? 0) - taken;
    excess -= taken;
  }
}

/** `label  value` lines, the labels aligned. */
export function formatFields(fields: readonly (readonly [label: string, value: string])[]): readonly string[] {
  const width = Math.max(0, ...fields.map(([label]) => widthOf(label)));
  return fields.map(([label, value]) => `${padTo(label, width)}${gap}${value}`.trimEnd());
}
