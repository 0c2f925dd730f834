import type { JobRecord } from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { isTerminal } from "../outbox/delivery-states.ts";
import { deleteSession } from "../sessions/delete-session.ts";
import { statusOf } from "../sessions/session-status-word.ts";
import { unsettledChildren } from "../spawns/read-spawns.ts";
import type { JobStep } from "./run-due-jobs.ts";

const lookAgainMs = 5_000;

/** Removes a child with `cleanup: "delete"` once its completion has settled, its delivery included. */
export async function cleanUpChild(engine: Engine, job: JobRecord): Promise<JobStep> {
  const [spawn] = await engine.store.read([{ get: "spawn", key: job.ref }]);
  if (!spawn || spawn.cleanedAt !== null) return "done";
  const [delivery, child] = await engine.store.read([
    { get: "delivery", key: spawn.deliveryId ?? "" },
    { get: "session", key: spawn.childRow },
  ]);
  const waits =
    spawn.state !== "settled" ||
    spawn.held === 1 ||
    (delivery !== undefined && !isTerminal(delivery.state)) ||
    (child !== undefined && statusOf(child) !== "idle") ||
    (await unsettledChildren(engine, spawn.childRow)).length > 0;
  if (waits) return { retryInMs: lookAgainMs };
  engine.faultPoint("cleanup.partial");
  if (child && child.deletedAt === null) await deleteSession(engine, child);
  return "done";
}
