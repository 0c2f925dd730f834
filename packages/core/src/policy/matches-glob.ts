/** Whether a text matches a pattern in which `*` stands for any run of characters; case does not matter. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [first = "", ...others] = pattern.trim().toLowerCase().split("*");
  const subject = text.toLowerCase();
  const last = others.pop();
  if (last === undefined) return first !== "" && first === subject;
  if (subject.length < first.length + last.length) return false;
  if (!subject.startsWith(first) || !subject.endsWith(last)) return false;

  let at = first.length;
  const end = subject.length - last.length;
  for (const part of others) {
    const found = subject.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
