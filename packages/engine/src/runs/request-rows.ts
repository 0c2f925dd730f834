import type {
  FlowRecord,
  MessagePage,
  MessageRecord,
  RunRecord,
  SessionRecord,
  SpawnRecord,
  YieldRecord,
} from "@trunkline/core";
import type { Engine } from "../engine.ts";
import { spawnOfChildRead } from "../spawns/read-spawns.ts";

/** What a run's request is built from, beside the run and its session. */
export interface RequestRows {
  readonly flow: FlowRecord | undefined;
  /** The spawn that made the session. */
  readonly spawn: SpawnRecord | undefined;
  /** The yield that the run resumes. */
  readonly resumed: YieldRecord | undefined;
  readonly parent: SessionRecord | undefined;
  /** The messages that are the run's input, in order. */
  readonly inputs: readonly MessageRecord[];
  /** The newest page of the transcript. */
  readonly newest: MessagePage;
}

const pageSize = 1000;

/** Reads all of it at once. */
export async function readRequestRows(
  engine: Engine,
  run: Pick<RunRecord, "flowId" | "yieldId" | "inputIds">,
  session: SessionRecord,
): Promise<RequestRows> {
  const [[flow, [spawn], resumed, parent, ...inputs], newest] = await Promise.all([
    engine.store.read([
      { get: "flow", key: run.flowId ?? "" },
      spawnOfChildRead(session.id),
      { get: "yield", key: run.yieldId ?? "" },
      { get: "session", key: session.parentId ?? "" },
      ...run.inputIds.map((key) => ({ get: "message", key }) as const),
    ]),
    readTranscriptPage(engine, session),
  ]);
  return { flow, spawn, resumed, parent, inputs: inputs.filter((input) => input !== undefined), newest };
}

/** A page of what a runner may see of a transcript, the newest or the one before a row. */
export function readTranscriptPage(
  engine: Engine,
  { id, firstSeq }: Pick<SessionRecord, "id" | "firstSeq">,
  beyondSeq?: number,
): Promise<MessagePage> {
  return engine.store.readMessages({
    sessionRow: id,
    firstSeq,
    classes: [0, 1, 2],
    from: "newest",
    limit: pageSize,
    withoutPending: true,
    ...(beyondSeq === undefined ? {} : { beyondSeq }),
  });
}
