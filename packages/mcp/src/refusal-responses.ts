/** An answer before the protocol has begun: a JSON-RPC error without an id. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  const body = { jsonrpc: "2.0", id: null, error: { code, message } };
  return Response.json(body, headers === undefined ? { status } : { status, headers });
}

/** 401, saying where the credential belongs. */
export function unauthorized(presented: boolean): Response {
  const message = presented
    ? "the credential is not valid here"
    : "an Authorization header with a credential is needed";
  return errorResponse(401, -32_001, message, { "WWW-Authenticate": 'Bearer realm="trunkline"' });
}
