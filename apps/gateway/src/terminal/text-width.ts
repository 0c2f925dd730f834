import stringWidth from "string-width";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** A text of at most `width` columns, cut between graphemes, `cut` (as `…`) standing for what is missing. */
export function cutTo(text: string, width: number, cut: string): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(cut);
  if (room < 0) return "";
  let kept = "";
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += widthOf(segment);
    if (used > room) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${cut}`;
}

/** A text filled with spaces up to `width` columns, on its right or, for numbers, on its left. */
export function padTo(text: string, width: number, align: "left" | "right" = "left"): string {
  const padding = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "left" ? text + padding : padding + text;
}

/** A text cut or filled to exactly `width` columns. */
export function fitTo(text: string, width: number, cut: string, align: "left" | "right" = "left"): string {
  return padTo(cutTo(text, width, cut), width, align);
}

/** A text broken at spaces and line feeds into lines of at most `width` columns; a longer word stands alone. */
export function wrapTo(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/[ \n\t]+/u).filter(Boolean)) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
