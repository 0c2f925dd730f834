/** Text in the one form in which searches compare it: lower case, final sigma as any other. The same on every database. */
export function foldText(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** Stands between the parts of a session's searched text; a search that holds it finds nothing. */
export const partSeparator = "\u001f";

export interface SearchedSession {
  readonly sessionKey: string;
  readonly label: string | null;
  readonly displayName: string | null;
  readonly sessionId: string;
  readonly model: string | null;
}

export const searchedProperties = [
  "sessionKey",
  "label",
  "displayName",
  "sessionId",
  "model",
] as const satisfies readonly (keyof SearchedSession)[];

/** What a session list's search looks at. */
export function sessionSearchText(session: SearchedSession): string {
  return foldText(searchedProperties.map((property) => session[property] ?? "").join(partSeparator));
}
