import { firstParkedSeq, type NewMessageRow, type SessionWrite } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { GuardFailed } from "../src/commit/guard-failed.ts";
import { planSession } from "../src/commit/plan-session.ts";
import type { ParkedRow, SessionState } from "../src/commit/session-plan.ts";

const idle: SessionState = {
  sessionId: "i1",
  archived: 0,
  pinned: 0,
  deletedAt: null,
  updatedAt: 100,
  listRank: -100,
  firstSeq: 1,
  lastSeq: 4,
  pendingNo: 0,
  pendingRows: 0,
  titleMessage: "title",
  lastMessage: "last",
  lastRunNo: 2,
  queuedRuns: 0,
  activeRunId: null,
  activeFence: 3,
  stateVersion: 7,
  familyVersion: 1,
  openYields: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  watchCount: 0,
  version: 9,
};
const active = { ...idle, activeRunId: "r1" };
const lane = { id: "r1", fence: 3 };

function plan(before: SessionState, write: Omit<SessionWrite, "id">, parkedRows: readonly ParkedRow[] = []) {
  return planSession({ write: { id: "s", ...write }, before, parkedRows, copy: undefined, at: 500 });
}

function row(id: string, fields: Partial<NewMessageRow> = {}): NewMessageRow {
  return { id, role: "user", class: 0, body: { content: id }, ...fields };
}

describe("a session's write", () => {
  test("fails on each guard that does not hold, and passes on each that does", () => {
    const cases: readonly [SessionState, SessionWrite["when"]][] = [
      [idle, { sessionId: "i1", archived: false, deleted: false, version: 9, familyVersion: 1, activeRun: null }],
      [active, { activeRun: lane }],
    ];
    for (const [before, when] of cases) expect(plan(before, when ? { when } : {}).after.version).toBe(10);
    const refused: readonly [SessionState, NonNullable<SessionWrite["when"]>][] = [
      [idle, { sessionId: "i2" }],
      [{ ...idle, archived: 1 }, { archived: false }],
      [{ ...idle, deletedAt: 5 }, { deleted: false }],
      [idle, { version: 8 }],
      [idle, { familyVersion: 2 }],
      [active, { activeRun: null }],
      [active, { activeRun: { id: "r1", fence: 2 } }],
      [idle, { activeRun: lane }],
    ];
    for (const [before, when] of refused) expect(() => plan(before, { when })).toThrow(GuardFailed);
  });

  test("takes only a free lane and frees only its own", () => {
    expect(plan(idle, { lane: { take: { id: "r9", fence: 1 } } }).after).toMatchObject({
      activeRunId: "r9",
      activeFence: 1,
    });
    expect(() => plan(active, { lane: { take: { id: "r9", fence: 1 } } })).toThrow(GuardFailed);
    expect(plan(active, { lane: { free: lane } }).after.activeRunId).toBeNull();
    expect(() => plan(active, { lane: { free: { id: "r1", fence: 4 } } })).toThrow(GuardFailed);
  });

  test("parks what comes from outside exactly while the lane is taken, a run is queued or a row is parked", () => {
    const parked = (before: SessionState, write: Omit<SessionWrite, "id"> = {}) =>
      plan(before, { ...write, append: [{ from: "outside", messages: [row("m")] }] }).parked;
    expect(parked(idle)).toBe(false);
    expect(parked(active)).toBe(true);
    expect(parked({ ...idle, queuedRuns: 1 })).toBe(true);
    expect(parked({ ...idle, pendingRows: 1 })).toBe(true);
    expect(parked(active, { lane: { free: lane } })).toBe(false);
    expect(parked(idle, { lane: { take: lane } })).toBe(true);
    expect(parked({ ...idle, queuedRuns: 1 }, { add: { queuedRuns: -1 } })).toBe(false);
  });

  test("numbers a run's rows on although others are parked, and gives parked ones their arrival number", () => {
    const before = { ...active, pendingNo: 5, pendingRows: 1 };
    const { messages, after } = plan(before, {
      append: [
        { from: "run", messages: [row("a"), row("b", { class: 1 })] },
        { from: "outside", messages: [row("c")] },
      ],
    });
    expect(messages.map((message) => message.seq)).toEqual([5, 6, firstParkedSeq + 6]);
    expect(after).toMatchObject({ lastSeq: 6, pendingNo: 6, pendingRows: 2, lastMessage: "c" });
  });

  test("a reset numbers all parked rows in the old incarnation, then begins a new one without title or preview", () => {
    const before = { ...idle, pendingNo: 3, pendingRows: 2 };
    const rows = [
      { id: "p2", seq: firstParkedSeq + 2 },
      { id: "p3", seq: firstParkedSeq + 3 },
    ];
    const { moves, after, messages } = plan(
      before,
      { set: { sessionId: "i2" }, append: [{ from: "outside", messages: [row("first", { human: true })] }] },
      rows,
    );
    expect(moves).toEqual([
      { id: "p2", seq: 5 },
      { id: "p3", seq: 6 },
    ]);
    expect(messages[0]?.seq).toBe(7);
    expect(after).toMatchObject({
      firstSeq: 7,
      lastSeq: 7,
      pendingRows: 0,
      titleMessage: "first",
      lastMessage: "first",
    });
  });

  test("keeps the first human message as title, and no hidden or tool row as preview", () => {
    const untitled = { ...idle, titleMessage: null };
    const append = [
      { from: "outside" as const, messages: [row("a"), row("b", { human: true }), row("c", { human: true })] },
    ];
    expect(plan(untitled, { append }).after.titleMessage).toBe("b");
    expect(plan(idle, { append }).after.titleMessage).toBe("title");
    const hidden = [{ from: "run" as const, messages: [row("tool", { class: 1 }), row("skip", { class: 2 })] }];
    expect(plan(idle, { append: hidden }).after.lastMessage).toBe("last");
  });

  test("moves the list rank with the time and the pin", () => {
    expect(plan(idle, { set: { updatedAt: 300 } }).after.listRank).toBe(-300);
    expect(plan(idle, { set: { pinned: 1 } }).after.listRank).toBe(-100 - 1e15);
  });

  test("gives event versions and tells of notifying ones with their actor", () => {
    const { events, notices, after } = plan(idle, {
      events: [
        { kind: "run_completed", actorKind: "system", actorId: null, data: {} },
        { kind: "goal_changed", actorKind: "agent", actorId: "main", data: {}, actorRow: "w" },
      ],
    });
    expect(events.map((event) => event.version)).toEqual([8, 9]);
    expect(events.every((event) => !("actorRow" in event))).toBe(true);
    expect(notices).toEqual([{ version: 9, actorRow: "w" }]);
    expect(after.stateVersion).toBe(9);
  });
});
