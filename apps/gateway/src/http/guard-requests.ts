import type { MiddlewareHandler } from "hono";
import type { AccessToken } from "../auth/token-file.ts";
import { httpProblem } from "./http-problem.ts";
import { presentedToken } from "./presented-token.ts";

const loopbackNames = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Whether an address to listen on is this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host);
}

/** Lets only requests pass that name this machine: a web page that rebinds its name to 127.0.0.1 is refused. */
export function requireLoopbackHost(listenHost: string): MiddlewareHandler {
  return async (context, next) => {
    const name = (context.req.header("host") ?? "").replace(/:\d+$/u, "").toLowerCase();
    if (loopbackNames.has(name) || name === listenHost) return next();
    return context.json(httpProblem("host_not_allowed", "this gateway answers to localhost only"), 403);
  };
}

/** Lets only requests pass that present the token as `Authorization: Bearer …`. */
export function requireToken(access: AccessToken): MiddlewareHandler {
  return async (context, next) => {
    const presented = presentedToken(context.req.header("authorization"));
    if (presented !== undefined && access.matches(presented)) return next();
    context.header("WWW-Authenticate", 'Bearer realm="trunkline"');
    const message =
      presented === undefined ? "an Authorization header with a bearer token is needed" : "the token is not valid here";
    return context.json(httpProblem("unauthorized", message), 401);
  };
}
