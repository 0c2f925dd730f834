/** Words of a text: what white space parts. */
export function countWords(text: string): number {
  return text.split(/\s+/u).filter(Boolean).length;
}

/** At most `limit` words, `…` where something was cut. */
export function firstWords(text: string, limit: number): string {
  const words = text.split(/\s+/u).filter(Boolean);
  return words.length <= limit
    ? words.join(" ")
    : `${words
        .slice(0, limit)
        .join(" ")
        .replace(/[.,;:!?]$/u, "")} …`;
}
