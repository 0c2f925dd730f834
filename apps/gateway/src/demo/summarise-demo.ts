import type { SessionRecord, SessionStore, SpawnRecord } from "@trunkline/core";
import { coordinatorKey } from "../runtime/demo-setup.ts";
import type { GlyphName } from "../terminal/glyphs.ts";
import type { TreeNode } from "../timeline/session-tree.ts";
import { type AskedQuestion, countWaitingDeliveries, deliveredAnswer, listDemoSessions } from "./demo-records.ts";
import type { DemoSummary } from "./demo-summary.ts";

/** Reads from the store what a question came to; nothing here is remembered from the events. */
export async function summariseDemo(
  store: SessionStore,
  question: AskedQuestion,
  durationMs: number,
): Promise<DemoSummary> {
  const sessions = await listDemoSessions(store);
  const spawns = await spawnsOf(store, sessions);
  const answer = deliveredAnswer(question);
  const main = sessions.find(({ sessionKey }) => sessionKey === coordinatorKey);
  const nodes = sessions.map((session) => ({ session, node: nodeOf(session, spawns.get(session.id)) }));
  return {
    ok: answer !== undefined,
    run: question.number,
    ...(answer === undefined ? {} : { answer }),
    sessions: nodes.map(({ session, node }) => ({
      sessionKey: session.sessionKey,
      ...(session.label === null ? {} : { label: session.label }),
      state: node.state,
      runs: session.lastRunNo,
      messages: messagesOf(session),
    })),
    completions: main === undefined ? 0 : await countCompletions(store, main, question.readers),
    readers: question.readers.length,
    delivered: question.announcements.filter(({ state }) => state === "delivered").length,
    pending: await countWaitingDeliveries(store),
    durationMs: Math.round(durationMs),
    tree: treeOf(nodes),
  };
}

interface NamedNode {
  readonly session: SessionRecord;
  readonly node: TreeNode;
}

function treeOf(nodes: readonly NamedNode[]): readonly TreeNode[] {
  const ids = new Set(nodes.map(({ session }) => session.id));
  const below = (parentId: string): readonly TreeNode[] =>
    nodes
      .filter(({ session }) => session.parentId === parentId)
      .toSorted((left, right) => right.session.createdAt - left.session.createdAt)
      .map(({ session, node }) => ({ ...node, children: below(session.id) }));
  return nodes
    .filter(({ session }) => session.parentId === null || !ids.has(session.parentId))
    .toSorted((left, right) => right.session.createdAt - left.session.createdAt)
    .map(({ session, node }) => ({ ...node, children: below(session.id) }));
}

const outcomeGlyphs: Readonly<Record<string, GlyphName>> = { success: "done", running: "running", idle: "idle" };

function nodeOf(session: SessionRecord, spawn: SpawnRecord | undefined): TreeNode {
  const state = spawn?.outcome ?? statusOf(session);
  const isWaiting = state === "queued" || state === "yielded";
  return {
    name: spawn === undefined ? session.sessionKey : (session.label ?? session.sessionKey),
    state,
    glyph: isWaiting ? "wait" : (outcomeGlyphs[state] ?? "failed"),
    cells: [session.lastRunNo, messagesOf(session)],
    children: [],
  };
}

function statusOf({ activeRunId, queuedRuns, openYields }: SessionRecord): string {
  if (activeRunId !== null) return "running";
  if (queuedRuns > 0) return "queued";
  return openYields > 0 ? "yielded" : "idle";
}

function messagesOf({ firstSeq, lastSeq, pendingRows }: SessionRecord): number {
  return lastSeq - firstSeq + 1 + pendingRows;
}

async function spawnsOf(
  store: SessionStore,
  sessions: readonly SessionRecord[],
): Promise<ReadonlyMap<string, SpawnRecord>> {
  const children = sessions.filter(({ parentId }) => parentId !== null);
  const found = await store.read(
    children.map(({ id }) => ({ find: "spawn", index: "child", equals: [id], limit: 1 }) as const),
  );
  return new Map(found.flat().map((spawn) => [spawn.childRow, spawn]));
}

/** How many of the readers have exactly one completion entry in the coordinator's transcript. */
async function countCompletions(
  store: SessionStore,
  main: SessionRecord,
  readers: readonly SpawnRecord[],
): Promise<number> {
  const entries = await store.read(
    readers.map(
      ({ runId }) =>
        ({ find: "message", index: "dedupe", equals: [main.id, `completion:${runId}`], limit: 2 }) as const,
    ),
  );
  return entries.filter(({ length }) => length === 1).length;
}
