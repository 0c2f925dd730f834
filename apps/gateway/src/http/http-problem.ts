/** The body of every answer that is no result. */
export interface HttpProblem {
  readonly error: { readonly code: string; readonly message: string; readonly path?: string };
}

/** Makes the body of an error answer. */
export function httpProblem(code: string, message: string, path?: string): HttpProblem {
  return { error: { code, message, ...(path === undefined ? {} : { path }) } };
}
