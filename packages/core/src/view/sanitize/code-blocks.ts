import { addCodeSpans } from "./code-spans.ts";
import { advanceColumns, type Indent, indentAt, type LineCursor, lineCursor, passMarker } from "./line-cursor.ts";

/** A block quote in the list of open containers; a list item is the columns that its content is indented by. */
const quote = -1;
/** Deeper nesting is read as text, so that the cost of a line stays bounded. */
const maxContainers = 24;

interface BlockState {
  readonly text: string;
  readonly bounds: number[];
  readonly containers: number[];
  fence: Fence | undefined;
  /** Where the open paragraph starts, else -1. */
  paragraph: number;
  /** The last line opened a list item and had nothing behind its marker. */
  hasEmptyItem: boolean;
}

interface Fence {
  readonly unit: number;
  readonly length: number;
  readonly start: number;
}

/** Starts and ends in turn, ascending, of all code in a Markdown text, by CommonMark's block structure; linear. */
export function findCodeRegions(text: string): { readonly bounds: readonly number[]; readonly openFence: number } {
  const state: BlockState = { text, bounds: [], containers: [], fence: undefined, paragraph: -1, hasEmptyItem: false };
  for (let lineStart = 0; lineStart < text.length; ) {
    const newline = text.indexOf("\n", lineStart);
    const lineEnd = newline < 0 ? text.length : newline;
    readLine(state, lineStart, lineEnd);
    lineStart = lineEnd + 1;
  }
  endParagraph(state, text.length);
  const openFence = state.fence?.start ?? Number.POSITIVE_INFINITY;
  if (state.fence !== undefined) state.bounds.push(openFence, text.length);
  return { bounds: state.bounds, openFence };
}

function readLine(state: BlockState, lineStart: number, lineEnd: number): void {
  const { text, containers } = state;
  const cursor = lineCursor(lineStart, 0, lineEnd);
  const matched = matchContainers(text, containers, cursor);
  if (state.fence !== undefined) {
    if (matched === containers.length) {
      if (!closesFence(text, state.fence, cursor)) return;
      state.bounds.push(state.fence.start, lineEnd);
      state.fence = undefined;
      return;
    }
    state.bounds.push(state.fence.start, lineStart);
    state.fence = undefined;
  }
  readBlocks(state, cursor, matched, lineStart);
}

/** How many of the open containers this line goes on with; the cursor moves behind their markers. */
function matchContainers(text: string, containers: readonly number[], cursor: LineCursor): number {
  for (let depth = 0; depth < containers.length; depth += 1) {
    const indent = indentAt(text, cursor);
    const width = containers[depth] ?? 0;
    if (width === quote) {
      if (indent.width > 3 || text.charCodeAt(indent.index) !== 0x3e || indent.isBlank) return depth;
      passQuoteMarker(text, cursor, indent);
    } else if (!indent.isBlank) {
      if (indent.width < width) return depth;
      advanceColumns(text, cursor, width);
    }
  }
  return containers.length;
}

function readBlocks(state: BlockState, cursor: LineCursor, matched: number, lineStart: number): void {
  const { text, containers } = state;
  let isContinuation = state.paragraph >= 0;
  let hasOpened = false;
  const isDirect = matched === containers.length;
  const wasEmptyItem = state.hasEmptyItem;
  state.hasEmptyItem = false;
  const leaveParagraph = () => {
    if (isContinuation || containers.length > matched) {
      endParagraph(state, lineStart);
      containers.length = Math.min(containers.length, matched);
    }
    isContinuation = false;
  };
  for (;;) {
    const indent = indentAt(text, cursor);
    if (indent.isBlank) {
      endParagraph(state, lineStart);
      containers.length = Math.min(containers.length, matched);
      if (wasEmptyItem && !hasOpened) containers.pop();
      state.hasEmptyItem = hasOpened && containers.at(-1) !== quote;
      return;
    }
    if (indent.width > 3) {
      if (isContinuation) return;
      leaveParagraph();
      state.bounds.push(cursor.index, cursor.end);
      return;
    }
    const code = text.charCodeAt(indent.index);
    if (code === 0x3e && containers.length < maxContainers) {
      leaveParagraph();
      passQuoteMarker(text, cursor, indent);
      containers.push(quote);
      hasOpened = true;
      matched = containers.length;
      continue;
    }
    if (readLeaf(state, cursor, indent, isContinuation && isDirect, leaveParagraph)) return;
    const item = containers.length < maxContainers ? itemWidth(text, indent, cursor, isContinuation && isDirect) : 0;
    if (item > 0) {
      leaveParagraph();
      passMarker(cursor, indent.index, cursor.column + indent.width, item & 0xff);
      const padding = Math.max(1, item >> 8);
      advanceColumns(text, cursor, padding);
      containers.push(indent.width + (item & 0xff) + padding);
      hasOpened = true;
      matched = containers.length;
      continue;
    }
    if (isContinuation) return;
    leaveParagraph();
    state.paragraph = indent.index;
    return;
  }
}

/** Reads a fence, a heading or a thematic break; false where the line is none of them. */
function readLeaf(
  state: BlockState,
  cursor: LineCursor,
  indent: Indent,
  isUnderlinable: boolean,
  leaveParagraph: () => void,
): boolean {
  const { text } = state;
  const { end } = cursor;
  const code = text.charCodeAt(indent.index);
  if (code === 0x60 || code === 0x7e) {
    const length = repeats(text, indent.index, end);
    if (length < 3 || (code === 0x60 && isWithin(text.indexOf("`", indent.index + length), end))) return false;
    leaveParagraph();
    state.fence = { unit: code, length, start: indent.index };
    return true;
  }
  if (code === 0x23) {
    const level = repeats(text, indent.index, end);
    if (level > 6 || !isSpaceOrEnd(text, indent.index + level, end)) return false;
    leaveParagraph();
    addCodeSpans(text, indent.index, end, state.bounds);
    return true;
  }
  if (isUnderlinable && isUnderline(text, indent.index, end, code)) {
    endParagraph(state, indent.index);
    leaveParagraph();
    return true;
  }
  const isRule = code === 0x2a || code === 0x2d || code === 0x5f;
  if (!isRule || !isRuleLine(text, indent.index, end, code)) return false;
  leaveParagraph();
  return true;
}

/** Marker length and, shifted by 8, the blanks behind it, of a list item that starts here; 0 where none does. */
function itemWidth(text: string, indent: Indent, cursor: LineCursor, interrupts: boolean): number {
  let index = indent.index;
  const code = text.charCodeAt(index);
  if (code === 0x2a || code === 0x2b || code === 0x2d) index += 1;
  else {
    while (index - indent.index < 10 && isDigit(text.charCodeAt(index))) index += 1;
    const mark = text.charCodeAt(index);
    if (index === indent.index || index - indent.index > 9 || (mark !== 0x2e && mark !== 0x29)) return 0;
    if (interrupts && text.slice(indent.index, index) !== "1") return 0;
    index += 1;
  }
  if (!isSpaceOrEnd(text, index, cursor.end)) return 0;
  const marker = index - indent.index;
  const after = indentAt(text, lineCursor(index, cursor.column + indent.width + marker, cursor.end));
  if (after.isBlank && interrupts) return 0;
  return marker | ((after.isBlank || after.width > 4 ? 1 : after.width) << 8);
}

function endParagraph(state: BlockState, end: number): void {
  if (state.paragraph >= 0) addCodeSpans(state.text, state.paragraph, end, state.bounds);
  state.paragraph = -1;
}

function closesFence(text: string, fence: Fence, cursor: LineCursor): boolean {
  const indent = indentAt(text, cursor);
  if (indent.width > 3 || text.charCodeAt(indent.index) !== fence.unit) return false;
  const length = repeats(text, indent.index, cursor.end);
  return length >= fence.length && isBlankTo(text, indent.index + length, cursor.end);
}

function passQuoteMarker(text: string, cursor: LineCursor, indent: Indent): void {
  passMarker(cursor, indent.index, cursor.column + indent.width, 1);
  advanceColumns(text, cursor, 1);
}

/** `===` or `---` under a paragraph, of any length. */
function isUnderline(text: string, from: number, to: number, mark: number): boolean {
  return (mark === 0x3d || mark === 0x2d) && isBlankTo(text, from + repeats(text, from, to), to);
}

/** Three and more of one mark, blanks between them allowed. */
function isRuleLine(text: string, from: number, to: number, mark: number): boolean {
  let count = 0;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (code === mark) count += 1;
    else if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return false;
  }
  return count >= 3;
}

function repeats(text: string, from: number, to: number): number {
  const code = text.charCodeAt(from);
  let index = from;
  while (index < to && text.charCodeAt(index) === code) index += 1;
  return index - from;
}

function isBlankTo(text: string, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d) return false;
  }
  return true;
}

function isSpaceOrEnd(text: string, index: number, end: number): boolean {
  const code = text.charCodeAt(index);
  return index >= end || code === 0x20 || code === 0x09 || code === 0x0d;
}

function isWithin(index: number, end: number): boolean {
  return index >= 0 && index < end;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
