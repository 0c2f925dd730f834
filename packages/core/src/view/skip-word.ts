const skipWords: ReadonlySet<string> = new Set(["REPLY_SKIP", "ANNOUNCE_SKIP", "NO_REPLY"]);

/** True when a text is exactly one of the skip words after trimming, case-sensitive: it stands for silence. */
export function isSkipWord(text: string): boolean {
  return skipWords.has(text.trim());
}
