/** Adds the start and end of every inline code span of one block of text, `[from, to)`, to `bounds`; linear. */
export function addCodeSpans(text: string, from: number, to: number, bounds: number[]): void {
  let tick = text.indexOf("`", from);
  if (tick < 0 || tick >= to) return;
  const starts: number[] = [];
  const ends: number[] = [];
  const runsByLength = new Map<number, number[]>();
  while (tick >= 0 && tick < to) {
    let end = tick + 1;
    while (end < to && text.charCodeAt(end) === 0x60) end += 1;
    const run = starts.length;
    starts.push(tick);
    ends.push(end);
    const sameLength = runsByLength.get(end - tick);
    if (sameLength === undefined) runsByLength.set(end - tick, [run]);
    else sameLength.push(run);
    tick = text.indexOf("`", end);
  }
  const nextOfLength = new Map<number, number>();
  let consumed = from;
  for (let run = 0; run < starts.length; run += 1) {
    const start = (starts[run] ?? 0) + (isEscaped(text, starts[run] ?? 0, consumed) ? 1 : 0);
    const length = (ends[run] ?? 0) - start;
    const closing = length === 0 ? undefined : runAfter(run, length, runsByLength, nextOfLength);
    if (closing === undefined) continue;
    consumed = ends[closing] ?? to;
    bounds.push(start, consumed);
    run = closing;
  }
}

/** The first run of this length behind the run `run`; asked for in ascending order. */
function runAfter(
  run: number,
  length: number,
  runsByLength: ReadonlyMap<number, readonly number[]>,
  nextOfLength: Map<number, number>,
): number | undefined {
  const runs = runsByLength.get(length);
  if (runs === undefined) return undefined;
  let next = nextOfLength.get(length) ?? 0;
  while (next < runs.length && (runs[next] ?? 0) <= run) next += 1;
  nextOfLength.set(length, next);
  return runs[next];
}

/** Whether an odd number of backslashes, none of them inside a span before, stands in front of `index`. */
function isEscaped(text: string, index: number, from: number): boolean {
  let start = index;
  while (start > from && text.charCodeAt(start - 1) === 0x5c) start -= 1;
  return (index - start) % 2 === 1;
}
