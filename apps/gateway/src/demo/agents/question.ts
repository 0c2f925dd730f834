/** Marks a question that is asked again because its run was interrupted. */
export const askedAgainLine = "(Asked again: the run before was interrupted. What its readers finished still counts.)";

/** A question as the coordinator understands it. */
export interface Question {
  readonly question: string;
  readonly again: boolean;
}

/** The message that asks, and asks again. */
export function formatQuestion({ question, again }: Question): string {
  return again ? `${question}\n${askedAgainLine}` : question;
}

/** Reads a question back from a prompt, in which notices may stand before it. */
export function parseQuestion(prompt: string): Question {
  const again = prompt.includes(askedAgainLine);
  const lines = prompt.replace(askedAgainLine, "").trim().split("\n");
  return { question: lines.at(-1)?.trim() ?? "", again };
}
