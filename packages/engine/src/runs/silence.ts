import { channelText, isSkipWord } from "@trunkline/core";

/** Whether a text is one of the skip words, once leaked reasoning and markup are gone. */
export function isSkip(text: string): boolean {
  return isSkipWord(text) || (mayHoldSkipWord(text) && isSkipWord(channelText(text)));
}

/** Whether a run with this text said nothing: a skip word, white space, or nothing that anybody would be shown. */
export function isSilence(text: string): boolean {
  if (isSkipWord(text)) return true;
  const shown = channelText(text);
  return shown === "" || isSkipWord(shown);
}

function mayHoldSkipWord(text: string): boolean {
  return text.includes("_SKIP") || text.includes("NO_REPLY");
}
