/** A sentence of a document and the line, counted from 1, on which it starts. */
export interface Sentence {
  readonly text: string;
  readonly line: number;
}

interface Paragraph {
  readonly text: string;
  /** Where each source line starts in `text`. */
  readonly starts: readonly { readonly offset: number; readonly line: number }[];
}

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });
const fence = /^\s*(```|~~~)/u;
const heading = /^\s{0,3}(#{1,6}\s|=+\s*$|-{3,}\s*$|\*{3,}\s*$)/u;
const listItem = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/u;
const tableRow = /^\s*\|/u;
const indentedCode = /^(?: {4}|\t)/u;
const shortest = 24;
const longest = 320;

/** The prose sentences of a markdown or plain text, in order: no code, headings, tables or markup, 24 to 320 characters each. */
export function extractSentences(source: string): readonly Sentence[] {
  return paragraphsOf(source).flatMap(({ text, starts }) =>
    [...segmenter.segment(text)].flatMap(({ segment, index }) => {
      const sentence = segment.trim();
      if (sentence.length < shortest || sentence.length > longest || !/\p{L}/u.test(sentence)) return [];
      const line = starts.findLast(({ offset }) => offset <= index)?.line ?? 1;
      return [{ text: sentence, line }];
    }),
  );
}

function paragraphsOf(source: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let lines: { readonly text: string; readonly line: number }[] = [];
  let inFence: string | undefined;
  const close = () => {
    if (lines.length > 0) paragraphs.push(joinLines(lines));
    lines = [];
  };
  for (const [index, raw] of source.split(/\r?\n/u).entries()) {
    const marker = fence.exec(raw)?.[1];
    if (marker !== undefined && (inFence === undefined || inFence === marker)) {
      inFence = inFence === undefined ? marker : undefined;
      close();
      continue;
    }
    const isCode = inFence !== undefined || (lines.length === 0 && indentedCode.test(raw) && !listItem.test(raw));
    if (isCode || raw.trim() === "" || heading.test(raw) || tableRow.test(raw)) {
      close();
      continue;
    }
    if (listItem.test(raw)) close();
    const text = withoutMarkup(raw.replace(listItem, ""));
    if (text !== "") lines.push({ text, line: index + 1 });
  }
  close();
  return paragraphs;
}

function joinLines(lines: readonly { readonly text: string; readonly line: number }[]): Paragraph {
  let text = "";
  const starts = lines.map(({ text: part, line }) => {
    if (text !== "") text += " ";
    const offset = text.length;
    text += part;
    return { offset, line };
  });
  return { text, starts };
}

function withoutMarkup(line: string): string {
  return line
    .replace(/^\s*>+\s?/u, "")
    .replace(/<\/?[a-z][^<>]{0,200}>/giu, "")
    .replace(/!\[[^\]]{0,200}\]\([^()\s]{0,400}\)/gu, "")
    .replace(/\[([^\][]{0,200})\]\([^()\s]{0,400}\)/gu, "$1")
    .replace(/(\*\*|__)(.+?)\1/gu, "$2")
    .replace(/`([^`]+)`/gu, "$1")
    .replace(/\s+/gu, " ")
    .trim();
}
