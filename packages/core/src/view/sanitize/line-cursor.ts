/** A place in one line of Markdown, with the column that tabs lead to. */
export interface LineCursor {
  index: number;
  column: number;
  readonly end: number;
}

/** The white space in front of the next character: its width in columns, and where it ends. */
export interface Indent {
  readonly width: number;
  readonly index: number;
  readonly isBlank: boolean;
}

/** Measures the white space at the cursor without moving it. */
export function indentAt(text: string, cursor: LineCursor): Indent {
  let { index, column } = cursor;
  for (; index < cursor.end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20) column += 1;
    else if (code === 0x09) column += 4 - (column % 4);
    else break;
  }
  return { width: column - cursor.column, index, isBlank: index >= cursor.end || text.charCodeAt(index) === 0x0d };
}

/** Moves the cursor over up to `columns` columns of white space; a tab that is wider is used up in part. */
export function advanceColumns(text: string, cursor: LineCursor, columns: number): void {
  const target = cursor.column + columns;
  while (cursor.index < cursor.end && cursor.column < target) {
    const isTab = text.charCodeAt(cursor.index) === 0x09;
    const next = isTab ? cursor.column + 4 - (cursor.column % 4) : cursor.column + 1;
    if (next > target) {
      cursor.column = target;
      return;
    }
    cursor.column = next;
    cursor.index += 1;
  }
}
