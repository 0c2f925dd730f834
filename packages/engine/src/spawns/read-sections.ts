/** A text taken apart: its result, and its notes as they were written. */
export interface ResultSections {
  readonly result: string;
  readonly notes: readonly string[];
}

/**
 * Takes apart a text that follows the Status / Result / Notes form; any other text is all result. A status that the model
 * gave itself is dropped: only its own line, so that nothing else of the text is lost.
 */
export function readSections(text: string): ResultSections {
  const lines = text.trim().split("\n");
  const resultAt = lines.findIndex((line) => afterHeading(line, "result") !== undefined);
  const statusAt = lines.findIndex((line) => afterHeading(line, "status") !== undefined);
  const hasStatus = statusAt >= 0 && (resultAt < 0 ? statusAt === 0 : statusAt < resultAt);
  if (resultAt < 0 && !hasStatus) return { result: text.trim(), notes: [] };
  const formAt = resultAt < 0 ? statusAt : resultAt;
  const notesAt = lines.findIndex((line, index) => index > formAt && afterHeading(line, "notes") !== undefined);
  const end = notesAt < 0 ? lines.length : notesAt;
  const result = lines.slice(0, end).flatMap((line, index) => {
    if (hasStatus && index === statusAt) return [];
    return index === resultAt ? [afterHeading(line, "result") ?? ""] : [line];
  });
  const notes = lines.slice(end).map((line, index) => (index === 0 ? (afterHeading(line, "notes") ?? "") : line));
  return { result: result.join("\n").trim(), notes: notes.map((note) => note.trim()).filter(isNote) };
}

/** What stands after `<heading>:` where a line begins so, marked up or not; `undefined` for any other line. */
function afterHeading(line: string, heading: string): string | undefined {
  const bare = line.replace(/^[\s#*_]{0,12}/, "");
  if (bare.slice(0, heading.length).toLowerCase() !== heading) return undefined;
  const rest = bare.slice(heading.length);
  const colon = rest.search(/[^\s*_]/);
  if (colon < 0 || rest[colon] !== ":") return undefined;
  return rest.slice(colon + 1).replace(/^[*_]{0,3}\s*/, "");
}

function isNote(note: string): boolean {
  return note !== "" && !/^(?:[-*•]\s*)?\(?none\)?\.?$/i.test(note);
}
