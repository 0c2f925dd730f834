import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { errorResponse, unauthorized } from "./refusal-responses.ts";

/** The names of this machine. */
export const loopbackHostnames: readonly string[] = localhostAllowedHostnames();

const credentialParameters = new Set([
  ...["token", "access_token", "auth_token", "id_token", "bearer", "authorization", "auth"],
  ...["api_key", "apikey", "key", "secret", "password", "session_key", "sessionkey"],
]);

/**
 * Refuses a request by its address: another `Host` than the allowed ones (a web page that renamed itself to this machine),
 * a foreign `Origin`, a credential in the query. `undefined` lets it pass.
 */
export function refuseAddress(
  request: Request,
  allowedHosts: readonly string[],
  allowedOrigins: readonly string[],
): Response | undefined {
  const url = new URL(request.url);
  const host = validateHostHeader(request.headers.get("host") ?? url.host, [...allowedHosts]);
  if (!host.ok) return errorResponse(403, -32_000, "this server does not answer to that host name");
  const origin = validateOriginHeader(request.headers.get("origin"), [...allowedOrigins]);
  if (!origin.ok) return errorResponse(403, -32_000, "this server does not answer to pages of that origin");
  const carriesCredential = [...url.searchParams.keys()].some((name) => credentialParameters.has(name.toLowerCase()));
  return carriesCredential ? unauthorized(false) : undefined;
}
