const closing = "\n```";
const minimumLength = 64;
const minimumRoom = 16;

/**
 * Cuts a text for a channel that takes at most `maxLength` UTF-16 units a message: at a paragraph, a line, a word, else
 * between two code points. Returns where each part begins; the first is 0. Render the parts with `textParts`.
 */
export function cutText(text: string, maxLength: number): readonly number[] {
  const limit = Math.max(Math.floor(maxLength), minimumLength);
  const fenceAt = fenceReader(text);
  const cuts = [0];
  for (let start = 0; ; ) {
    const reopened = fenceAt(start);
    const head = reopened === undefined ? 0 : reopened.length + 1;
    if (text.length - start + head <= limit) return cuts;
    start = bestCut(text, start, start + Math.max(limit - head - closing.length, minimumRoom));
    cuts.push(start);
  }
}

/** The parts of a cut text; a code fence that spans a cut is closed before it and opened again after it. */
export function textParts(text: string, cuts: readonly number[]): readonly string[] {
  const fenceAt = fenceReader(text);
  let reopened: string | undefined;
  return cuts.map((start, index) => {
    const end = cuts[index + 1] ?? text.length;
    const opening = reopened === undefined ? "" : `${reopened}\n`;
    const inside = end < text.length ? fenceAt(end) : undefined;
    const body = text.slice(start, end);
    const kept = reopened === undefined ? body.trim() : body.replace(/^\n|\n$/g, "");
    reopened = inside;
    return inside === undefined ? opening + kept : opening + kept.trimEnd() + closing;
  });
}

function bestCut(text: string, start: number, end: number): number {
  const half = start + Math.floor((end - start) / 2);
  for (const separator of ["\n\n", "\n", " "]) {
    const at = text.lastIndexOf(separator, end - separator.length);
    if (at > half) return at + separator.length;
  }
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : end;
}

/** Tells the opening line of the fence that a position lies in; positions must be asked for in ascending order. */
function fenceReader(text: string): (position: number) => string | undefined {
  let next = text.startsWith("```") ? 0 : nextFence(text, 0);
  let open: string | undefined;
  return (position) => {
    while (next < position) {
      const lineEnd = text.indexOf("\n", next);
      open = open === undefined ? text.slice(next, lineEnd < 0 ? text.length : lineEnd) : undefined;
      next = nextFence(text, next);
    }
    return open;
  };
}

function nextFence(text: string, after: number): number {
  const at = text.indexOf("\n```", after);
  return at < 0 ? Number.POSITIVE_INFINITY : at + 1;
}
