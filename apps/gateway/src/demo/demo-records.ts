import {
  type DeliveryRecord,
  type FlowRecord,
  type RunRecord,
  type SessionRecord,
  type SessionStore,
  type SpawnRecord,
  textOf,
} from "@trunkline/core";
import { coordinatorKey, editorKey } from "../runtime/demo-setup.ts";

/** A question that was asked, with all that came of it. */
export interface AskedQuestion {
  /** Counted from 1: the first question is run 1. */
  readonly number: number;
  readonly run: RunRecord;
  /** Every run of the question's chain, by their end; running ones last. */
  readonly runs: readonly RunRecord[];
  readonly readers: readonly SpawnRecord[];
  readonly flows: readonly FlowRecord[];
  /** What the editor announced about it. */
  readonly announcements: readonly DeliveryRecord[];
}

const page = 200;

/** Finds a session of the demo by its key. */
export async function findDemoSession(store: SessionStore, sessionKey: string): Promise<SessionRecord | undefined> {
  const [[session]] = await store.read([{ find: "session", index: "sessionKey", equals: [sessionKey], limit: 1 }]);
  return session;
}

/** Every session that is not archived, newest first. */
export async function listDemoSessions(store: SessionStore): Promise<readonly SessionRecord[]> {
  const sessions: SessionRecord[] = [];
  for (let offset = 0; ; offset += page) {
    const rows = await store.listSessions({ scope: { every: true }, archived: false, limit: page, offset });
    sessions.push(...rows);
    if (rows.length < page) return sessions;
  }
}

/** The last question that the coordinator was asked; `undefined` before the first. */
export async function lastQuestion(store: SessionStore): Promise<AskedQuestion | undefined> {
  const main = await findDemoSession(store, coordinatorKey);
  if (main === undefined) return undefined;
  const [runs] = await store.read([{ find: "run", index: "runNo", equals: [main.id], limit: 100_000 }]);
  const questions = runs.filter(({ kind }) => kind === "inbound");
  const run = questions.at(-1);
  return run && { number: questions.length, run, ...(await whatCameOf(store, run)) };
}

async function whatCameOf(store: SessionStore, run: RunRecord) {
  const editor = await findDemoSession(store, editorKey);
  const [runs, readers, deliveries] = await store.read([
    { find: "run", index: "chain", equals: [run.chainId], limit: 10_000 },
    { find: "spawn", index: "requesterRun", equals: [run.id], limit: 1_000 },
    { find: "delivery", index: "session", equals: [editor?.id ?? ""], from: run.createdAt, limit: 1_000 },
  ]);
  const flowIds = [...new Set(runs.flatMap(({ flowId }) => flowId ?? []))];
  const flows = await store.read(flowIds.map((key) => ({ get: "flow", key }) as const));
  const ofChain = new Set(runs.map(({ id }) => id));
  return {
    runs: runs.toSorted((left, right) => endOf(left) - endOf(right)),
    readers,
    flows: flows.filter((flow) => flow !== undefined),
    announcements: deliveries.filter(({ runId }) => runId === null || ofChain.has(runId)),
  };
}

function endOf({ endedAt }: RunRecord): number {
  return endedAt ?? Number.POSITIVE_INFINITY;
}

/** Whether anything of an earlier process is still to be done: a run, a wait, a delivery. */
export async function hasUnfinishedWork(store: SessionStore): Promise<boolean> {
  const sessions = await listDemoSessions(store);
  if (sessions.some((row) => row.activeRunId !== null || row.queuedRuns > 0 || row.openYields > 0)) return true;
  return (await countWaitingDeliveries(store)) > 0;
}

/** Deliveries that are neither delivered nor given up. */
export async function countWaitingDeliveries(store: SessionStore): Promise<number> {
  const [pending, sending] = await store.read([
    { find: "delivery", index: "due", equals: ["pending"], limit: 1_000 },
    { find: "delivery", index: "due", equals: ["sending"], limit: 1_000 },
  ]);
  return pending.length + sending.length;
}

/** The answer that reached the console channel for a question. */
export function deliveredAnswer({ announcements }: AskedQuestion): string | undefined {
  return announcements.findLast(({ state }) => state === "delivered")?.body;
}

/** The text of a question as it was asked. */
export async function questionText(store: SessionStore, { run }: AskedQuestion): Promise<string> {
  const [message] = await store.read([{ get: "message", key: run.inputIds[0] ?? "" }]);
  return message === undefined ? "" : textOf(message.body.content);
}
