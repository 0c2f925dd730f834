import type { SessionWrite, StoreTransaction } from "@trunkline/core";
import { expect, test } from "vitest";
import { mayShare } from "../src/commit/group-steps.ts";
import { plannedColumns, type SessionState } from "../src/commit/session-plan.ts";

const columns: { readonly [column: string]: unknown } = Object.fromEntries(plannedColumns.map((column) => [column, 0]));

function shares(transaction: Omit<StoreTransaction, "at">, watchCount = 0): boolean {
  const state = { ...(columns as SessionState), watchCount };
  return mayShare({ transaction: { at: 1, ...transaction }, now: 1, known: new Map([["s", { state, stamp: 1 }]]) });
}

const writing = (write: Omit<SessionWrite, "id">): Omit<StoreTransaction, "at"> => ({
  sessions: [{ id: "s", ...write }],
});
const event = { kind: "goal_changed", actorKind: "agent", actorId: null, data: {} } as const;
const job = { id: "j", kind: "unbind", ref: "r", dueAt: 0, attempts: 0, owner: null } as const;

test("a commit shares a transaction when it changes one session and else only inserts", () => {
  expect(shares(writing({ append: [{ from: "outside", messages: [] }] }))).toBe(true);
  expect(shares(writing({ set: { goal: "g" }, events: [event] }))).toBe(true);
  expect(shares({ ...writing({ touchFamily: true }), records: [{ kind: "job", insert: job }] })).toBe(true);
});

test("a commit that changes, counts or reads anything else is made alone", () => {
  expect(shares({})).toBe(false);
  expect(shares({ sessions: [{ id: "s" }, { id: "t" }] })).toBe(false);
  expect(shares({ ...writing({}), counters: [{ scope: "c", by: 1 }] })).toBe(false);
  expect(shares({ ...writing({}), records: [{ kind: "job", key: "j", set: { owner: "me" } }] })).toBe(false);
  expect(shares({ ...writing({}), records: [{ kind: "job", key: "j", remove: true }] })).toBe(false);
  expect(shares(writing({ lane: { free: { id: "r", fence: 1 } } }))).toBe(false);
  expect(shares(writing({ add: { queuedRuns: -1 } }))).toBe(false);
  expect(shares(writing({ events: [event] }), 1)).toBe(false);
});
