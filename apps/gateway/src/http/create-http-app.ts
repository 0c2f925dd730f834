import { type Caller, type Logger, type ToolHost, TrunklineError, toolDefinitions } from "@trunkline/core";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import type { AccessToken } from "../auth/token-file.ts";
import { requireLoopbackHost, requireToken } from "./guard-requests.ts";
import { httpProblem } from "./http-problem.ts";
import { readJsonBody } from "./read-json-body.ts";

/** What the HTTP face needs of the engine. */
export interface HttpHost extends ToolHost {
  submit(message: {
    readonly sessionKey: string;
    readonly text: string;
    readonly actor: "human";
    readonly idempotencyKey?: string;
  }): Promise<{ readonly runId: string; readonly sessionKey: string }>;
}

export interface HttpAppOptions {
  readonly host: HttpHost;
  readonly access: AccessToken;
  /** The address that the gateway listens on. */
  readonly listenHost: string;
  readonly logger: Logger;
  /** Answers every request to `/mcp`; it checks the address and the credential itself. */
  mcp?(request: Request): Promise<Response>;
  /** The channels' webhooks, below `/channels`; each verifies its own requests. */
  readonly channels?: Hono;
}

// A text of 16 MiB may need more room as JSON; what is over this is not read at all.
const maxBodyBytes = 24 * 1024 * 1024;
const messageSchema = z.strictObject({
  text: z.string().refine((text) => text.trim() !== "", "must not be blank"),
  idempotencyKey: z.string().min(1).max(512).optional(),
});

/**
 * The HTTP face: `POST /v1/tools/{name}`, `GET /v1/tools`, `POST /v1/messages`, `GET /healthz`, `/mcp`, `POST /channels/{channel}`. Every call acts as the
 * token's session. A tool's result is 200 whatever its status; errors are `{error: {code, message, path?}}`.
 */
export function createHttpApp({ host, access, listenHost, logger, mcp, channels }: HttpAppOptions): Hono {
  const caller: Caller = { sessionKey: access.sessionKey };
  const app = new Hono();
  if (channels !== undefined) app.route("/channels", channels);
  app.use(requireLoopbackHost(listenHost));
  if (mcp !== undefined) app.all("/mcp", (context) => mcp(context.req.raw));
  app.get("/healthz", (context) => context.json({ ok: true }));
  app.use("/v1/*", requireToken(access));
  app.use(
    "/v1/*",
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: (context) => context.json(httpProblem("too_large", "the body is over 24 MiB"), 413),
    }),
  );
  app.get("/v1/tools", async (context) => {
    const tools = await host.listTools(caller);
    return context.json({ tools: tools.map(({ name, description }) => ({ name, description })) });
  });
  app.post("/v1/tools/:name", async (context) => {
    const name = context.req.param("name");
    if (!toolDefinitions.some((tool) => tool.name === name)) {
      return context.json(httpProblem("not_found", `there is no tool "${name.slice(0, 64)}"`), 404);
    }
    return context.json((await host.callTool(caller, name, await readJsonBody(context))) as object);
  });
  app.post("/v1/messages", async (context) => {
    const { text, idempotencyKey } = parseMessage(await readJsonBody(context));
    const message = { sessionKey: access.sessionKey, text, actor: "human" } as const;
    const { runId, sessionKey } = await host.submit(
      idempotencyKey === undefined ? message : { ...message, idempotencyKey },
    );
    return context.json({ runId, sessionKey }, 202);
  });
  app.notFound((context) => context.json(httpProblem("not_found", "there is nothing at this address"), 404));
  app.onError((error, context) => {
    if (!TrunklineError.isInstance(error)) {
      logger.error({ err: error, path: context.req.path }, "a request failed");
      return context.json(httpProblem("internal_error", "the gateway failed; its log says more"), 500);
    }
    const refused = refusalCodeOf(error);
    if (refused !== undefined) return context.json(httpProblem(refused, error.message, error.path), 409);
    const status = statusFor(error);
    if (status === 503) logger.warn({ err: error, path: context.req.path }, "the store did not answer");
    return context.json(httpProblem(error.code, error.message, error.path), status);
  });
  return app;
}

function parseMessage(body: unknown): z.output<typeof messageSchema> {
  const parsed = messageSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.code === "unrecognized_keys" ? issue.keys[0] : issue?.path.join(".");
  const message =
    issue?.code === "unrecognized_keys" ? `there is no field "${path}"` : `${path || "body"}: ${issue?.message}`;
  throw new TrunklineError("invalid_input", message, path ? { path } : {});
}

/** The code of a message that was understood and refused, such as `conflict`. */
function refusalCodeOf(error: TrunklineError): string | undefined {
  return "resultCode" in error ? String(error.resultCode) : undefined;
}

function statusFor({ code }: TrunklineError): 400 | 413 | 503 {
  if (code === "store_too_large") return 413;
  return code.startsWith("store_") ? 503 : 400;
}
