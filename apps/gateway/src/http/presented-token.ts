/** The token of a request's `Authorization: Bearer …`; `undefined` for any other header. */
export function presentedToken(authorization: string | null | undefined): string | undefined {
  return /^Bearer +([^\s]{1,512})$/iu.exec(authorization ?? "")?.[1];
}
