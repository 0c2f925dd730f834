// Controls (an escape sequence starts with one) and the characters that reorder text.
const controls = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu;

/** Text that came from elsewhere, safe to print: no terminal escapes, no bidirectional overrides; line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(controls, "\ufffd");
}

/** The same on one line, runs of white space as one space. */
export function oneLine(text: string): string {
  return printable(text).replace(/\s+/gu, " ").trim();
}
