import { parseSessionReference, TrunklineError } from "@trunkline/core";
import type { CommandContext } from "./command-context.ts";
import type { ReportResult, SendRequest } from "./commands/send.ts";
import type { ExitCode } from "./exit-code.ts";
import { createGatewayClient } from "./gateway-client.ts";
import { openDeliveringLocal } from "./open-delivering-local.ts";

type CallTool = (name: string, args: object) => Promise<unknown>;

/** Sends with `sessions_send`, as the session of `--as` or of the gateway's token, and reports the tool's result. */
export async function sendAsSession(
  context: CommandContext,
  request: SendRequest,
  report: ReportResult,
): Promise<ExitCode> {
  const { url, as } = context.globals;
  if (url !== undefined) {
    const client = createGatewayClient(url, context.surroundings.environment["TRUNKLINE_TOKEN"]);
    context.note(`via ${client.url}`);
    return report(await tryTargets(client.callTool, request));
  }
  const local = await openDeliveringLocal(context);
  try {
    if (request.waitSeconds > 0) await local.trunkline.start();
    const caller = { sessionKey: as ?? "" };
    const result = await tryTargets((name, args) => local.trunkline.callTool(caller, name, args), request);
    const exitCode = report(result);
    if (request.waitSeconds > 0) await local.settle(request.waitSeconds * 1_000);
    return exitCode;
  } finally {
    await local.finish();
  }
}

/** A key, else a label, else an agent: the next is tried only where the one before found nothing. */
async function tryTargets(callTool: CallTool, request: SendRequest): Promise<object> {
  const { target, text, waitSeconds, watch, idempotencyKey } = request;
  const rest = {
    message: text,
    timeoutSeconds: waitSeconds,
    ...(watch ? { watch } : {}),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
  const targets = [
    ...(isReference(target) ? [{ sessionKey: target }] : []),
    { label: target },
    ...(/^[a-z0-9][a-z0-9_-]{0,63}$/u.test(target) ? [{ agentId: target }] : []),
  ];
  let result: object = {};
  for (const named of targets) {
    result = asObject(await callTool("sessions_send", { ...named, ...rest }));
    const isMissing = "code" in result && result.code === "not_found" && !("runId" in result);
    if (!isMissing) return result;
  }
  return result;
}

function isReference(target: string): boolean {
  try {
    parseSessionReference(target);
    return true;
  } catch (error) {
    if (TrunklineError.isInstance(error) && error.code === "invalid_key") return false;
    throw error;
  }
}

function asObject(result: unknown): object {
  return typeof result === "object" && result !== null ? result : {};
}
