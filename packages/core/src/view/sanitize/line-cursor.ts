/** A place in one line of Markdown, with the column that tabs lead to. */
export interface LineCursor {
  index: number;
  column: number;
  readonly end: number;
  /** Where the white space at the cursor ends, once that is known; -1 before. */
  textIndex: number;
  textColumn: number;
}

/** The white space in front of the next character: its width in columns, and where it ends. */
export interface Indent {
  readonly width: number;
  readonly index: number;
  readonly isBlank: boolean;
}

/** A cursor at `index`, which is at `column`, of a line that ends at `end`. */
export function lineCursor(index: number, column: number, end: number): LineCursor {
  return { index, column, end, textIndex: -1, textColumn: 0 };
}

/** Measures the white space at the cursor without moving it. */
export function indentAt(text: string, cursor: LineCursor): Indent {
  if (cursor.textIndex < 0) findText(text, cursor);
  const index = cursor.textIndex;
  return {
    width: cursor.textColumn - cursor.column,
    index,
    isBlank: index >= cursor.end || text.charCodeAt(index) === 0x0d,
  };
}

function findText(text: string, cursor: LineCursor): void {
  let { index, column } = cursor;
  for (; index < cursor.end; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x20) column += 1;
    else if (code === 0x09) column += 4 - (column % 4);
    else break;
  }
  cursor.textIndex = index;
  cursor.textColumn = column;
}

/** Moves the cursor behind `length` characters of a marker. */
export function passMarker(cursor: LineCursor, from: number, column: number, length: number): void {
  cursor.index = from + length;
  cursor.column = column + length;
  cursor.textIndex = -1;
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
