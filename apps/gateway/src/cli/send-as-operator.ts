import { parseConfig } from "@trunkline/core";
import type { CommandContext } from "./command-context.ts";
import type { ReportResult, SendRequest } from "./commands/send.ts";
import type { ExitCode } from "./exit-code.ts";
import { openDeliveringLocal } from "./open-delivering-local.ts";
import { findSession } from "./session-target.ts";

/** Submits a human's message, waits for its run and reports `{status, runId, sessionKey, reply?}`. */
export async function sendAsOperator(
  context: CommandContext,
  request: SendRequest,
  report: ReportResult,
): Promise<ExitCode> {
  const { target, text, waitSeconds, idempotencyKey } = request;
  const local = await openDeliveringLocal(context);
  try {
    const { sessionKey } = await findSession(local.store, parseConfig(local.setup.engineInput), target);
    if (waitSeconds > 0) await local.trunkline.start();
    const message = { sessionKey, text, actor: "human" } as const;
    const submitted = await local.trunkline.submit(
      idempotencyKey === undefined ? message : { ...message, idempotencyKey },
    );
    if (waitSeconds === 0) {
      context.note("it runs once a gateway runs: npx trunkline serve");
      return report({ status: "accepted", ...submitted });
    }
    const until = Date.now() + waitSeconds * 1_000;
    const { status, ...rest } = await local.trunkline.waitForRun(submitted.runId, { timeoutMs: waitSeconds * 1_000 });
    const exitCode = report({ status, ...submitted, ...rest });
    if (status !== "timeout") await local.settle(until - Date.now());
    return exitCode;
  } finally {
    await local.finish();
  }
}
