import { expect, test } from "vitest";
import { createSessionMemory, type KnownSessions } from "../src/commit/known-sessions.ts";
import { plannedColumns, type SessionState } from "../src/commit/session-plan.ts";

const columns: { readonly [column: string]: unknown } = Object.fromEntries(plannedColumns.map((column) => [column, 0]));
const state = columns as SessionState;
const rows = (...ids: readonly string[]): KnownSessions => new Map(ids.map((id) => [id, { state, stamp: 1 }]));
const writing = (...ids: readonly string[]) => ({
  at: 1,
  sessions: ids.map((id) => ({ id, touchFamily: true as const })),
});

test("a transaction is planned from memory when all its sessions are known", () => {
  const memory = createSessionMemory();
  memory.remember(rows("a", "b"));
  expect([...(memory.recall(writing("a", "b"))?.keys() ?? [])]).toEqual(["a", "b"]);
  expect(memory.recall(writing("a", "c"))).toBeUndefined();
  expect(memory.recall({ at: 1 })).toBeUndefined();
});

test("what has to be read before it is written is not planned from memory", () => {
  const memory = createSessionMemory();
  memory.remember(rows("a"));
  for (const rest of [
    { set: { sessionId: "x" } },
    { set: { label: "x" } },
    { unpark: { through: 1 } },
    { copy: { fromSession: "b", throughSeq: 1 } },
  ]) {
    expect(memory.recall({ at: 1, sessions: [{ id: "a", ...rest }] })).toBeUndefined();
  }
});

test("a session that others write to is read for a while", () => {
  const memory = createSessionMemory();
  memory.remember(rows("a"));
  memory.distrust(rows("a"));
  for (let commit = 0; commit < 8; commit++) {
    memory.remember(rows("a"));
    expect(memory.recall(writing("a"))).toBeUndefined();
  }
  expect(memory.recall(writing("a"))).toBeDefined();
});

test("the sessions that were written longest ago are forgotten first", () => {
  const memory = createSessionMemory();
  for (let number = 0; number < 2000; number++) memory.remember(rows(`s${number}`));
  memory.remember(rows("s0"));
  memory.remember(rows("one more"));
  expect(memory.recall(writing("s0"))).toBeDefined();
  expect(memory.recall(writing("s1"))).toBeUndefined();
});
