import {
  type AppendGroup,
  firstParkedSeq,
  type NewMessageRow,
  type NewRun,
  type NewStateEvent,
  notifyingEvents,
  type RunReference,
  type SessionGuard,
  type SessionPatch,
  type SessionWrite,
} from "@trunkline/core";
import { require } from "./guard-failed.ts";
import {
  type ParkedRow,
  plannedColumns,
  type SessionPlan,
  type SessionState,
  type TranscriptCopy,
} from "./session-plan.ts";

/** What the planner had to read beside the session's row. */
export interface PlanInput {
  readonly write: SessionWrite;
  readonly before: SessionState;
  /** In arrival order; read only when the write moves parked rows. */
  readonly parkedRows: readonly ParkedRow[];
  readonly copy: Omit<TranscriptCopy, "firstSeq"> | undefined;
  readonly at: number;
}

/** Applies one session write to its row in memory, in the order that `SessionWrite` documents. Throws `GuardFailed`. */
export function planSession({ write, before, parkedRows, copy, at }: PlanInput): SessionPlan {
  checkGuard(before, write.when);
  const after = { ...before };
  const plan: SessionPlan = {
    id: write.id,
    before,
    after,
    moves: [],
    copy: copy && { ...copy, firstSeq: before.lastSeq + 1 },
    messages: [],
    runs: [],
    events: [],
    notices: [],
    claimableRunId: null,
    parked: false,
  };
  if (write.lane !== undefined && "free" in write.lane) freeLane(after, write.lane.free);
  if (isReset(write, before)) reset(plan, parkedRows);
  applyPatch(after, write);
  if (plan.copy !== undefined) applyCopy(after, plan.copy);
  if (write.lane !== undefined && "take" in write.lane) takeLane(after, write.lane.take);
  if (write.unpark !== undefined) unpark(plan, write.unpark, parkedRows);
  for (const group of write.append ?? []) append(plan, group, at);
  for (const run of write.enqueue ?? []) enqueue(plan, run, at);
  for (const event of write.events ?? []) addEvent(plan, event, at);
  if (write.touchFamily) after.familyVersion += 1;
  after.version += 1;
  return plan;
}

/** A new incarnation begins: `set.sessionId` names another one than the row's. */
export function isReset(write: SessionWrite, before: SessionState): boolean {
  return write.create === undefined && write.set?.sessionId !== undefined && write.set.sessionId !== before.sessionId;
}

function checkGuard(row: SessionState, when: SessionGuard | undefined): void {
  if (when === undefined) return;
  if (when.sessionId !== undefined) require(row.sessionId === when.sessionId);
  if (when.archived === false) require(row.archived === 0);
  if (when.deleted === false) require(row.deletedAt === null);
  if (when.version !== undefined) require(row.version === when.version);
  if (when.familyVersion !== undefined) require(row.familyVersion === when.familyVersion);
  if (when.activeRun === null) require(row.activeRunId === null);
  else if (when.activeRun !== undefined) require(isActive(row, when.activeRun));
}

function isActive(row: SessionState, run: RunReference): boolean {
  return row.activeRunId === run.id && row.activeFence === run.fence;
}

function freeLane(row: SessionState, run: RunReference): void {
  require(isActive(row, run));
  row.activeRunId = null;
}

function takeLane(row: SessionState, run: RunReference): void {
  require(row.activeRunId === null);
  row.activeRunId = run.id;
  row.activeFence = run.fence;
}

function reset(plan: SessionPlan, parkedRows: readonly ParkedRow[]): void {
  moveIntoSequence(plan, parkedRows);
  plan.after.firstSeq = plan.after.lastSeq + 1;
  plan.after.titleMessage = null;
  plan.after.lastMessage = null;
}

function applyPatch(row: SessionState, { set, add }: SessionWrite): void {
  for (const column of plannedColumns) {
    const value = set?.[column as keyof SessionPatch];
    if (value !== undefined) Object.assign(row, { [column]: value });
  }
  for (const [counter, by] of Object.entries(add ?? {})) row[counter as keyof NonNullable<SessionWrite["add"]>] += by;
  row.listRank = listRank(row);
}

/** `-updatedAt`, less 10^15 when pinned. */
export function listRank(row: { readonly updatedAt: number; readonly pinned: number }): number {
  return -row.updatedAt - (row.pinned ? 1e15 : 0);
}

function applyCopy(row: SessionState, copy: TranscriptCopy): void {
  const shift = copy.firstSeq - copy.fromSeq;
  row.lastSeq = copy.throughSeq + shift;
  if (copy.titleSeq !== null) row.titleMessage ??= copiedMessageId(copy, copy.titleSeq + shift);
  if (copy.lastShownSeq !== null) row.lastMessage = copiedMessageId(copy, copy.lastShownSeq + shift);
}

function copiedMessageId(copy: TranscriptCopy, seq: number): string {
  return copy.idPrefix + String(seq).padStart(12, "0");
}

/** A reset in the same write has moved all of them already. */
function unpark(plan: SessionPlan, which: NonNullable<SessionWrite["unpark"]>, parkedRows: readonly ParkedRow[]): void {
  const chosen =
    "through" in which
      ? parkedRows.filter((row) => row.seq <= which.through)
      : parkedRows.filter((row) => which.ids.includes(row.id));
  moveIntoSequence(plan, plan.moves.length > 0 ? [] : chosen);
}

function moveIntoSequence({ after, moves }: SessionPlan, rows: readonly ParkedRow[]): void {
  for (const { id } of rows) {
    after.lastSeq += 1;
    moves.push({ id, seq: after.lastSeq });
  }
  after.pendingRows -= rows.length;
}

function append(plan: SessionPlan, group: AppendGroup, at: number): void {
  const { after } = plan;
  const parks =
    group.from === "outside" && !(after.activeRunId === null && after.queuedRuns === 0 && after.pendingRows === 0);
  for (const message of group.messages) {
    if (parks) {
      after.pendingNo += 1;
      after.pendingRows += 1;
      plan.parked = true;
    } else {
      after.lastSeq += 1;
    }
    addMessage(plan, message, parks ? firstParkedSeq + after.pendingNo : after.lastSeq, at);
  }
}

function addMessage({ id, after, messages }: SessionPlan, message: NewMessageRow, seq: number, at: number): void {
  messages.push({
    sessionRow: id,
    seq,
    id: message.id,
    role: message.role,
    class: message.class,
    runId: message.runId ?? null,
    provenance: message.provenance ?? null,
    body: message.body,
    bytes: 0,
    createdAt: at,
    dedupeKey: message.dedupeKey ?? null,
  });
  if (message.human) after.titleMessage ??= message.id;
  if (message.class === 0) after.lastMessage = message.id;
}

function enqueue(plan: SessionPlan, run: NewRun, at: number): void {
  const { after } = plan;
  const isHead = run.state === "queued" && after.activeRunId === null && after.queuedRuns === 0;
  after.lastRunNo += 1;
  if (run.state === "queued") after.queuedRuns += 1;
  if (isHead) plan.claimableRunId = run.id;
  plan.runs.push({
    ...run,
    sessionRow: plan.id,
    runNo: after.lastRunNo,
    claimableAt: isHead ? at : null,
    inputThrough: after.pendingRows > 0 ? firstParkedSeq + after.pendingNo : 0,
  });
}

function addEvent({ id, after, events, notices }: SessionPlan, event: NewStateEvent, at: number): void {
  after.stateVersion += 1;
  const { actorRow, ...recorded } = event;
  events.push({ ...recorded, sessionRow: id, version: after.stateVersion, at });
  if (notifyingEvents.includes(event.kind)) notices.push({ version: after.stateVersion, actorRow: actorRow ?? null });
}
