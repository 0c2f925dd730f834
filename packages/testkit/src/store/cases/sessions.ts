import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { messageRow, newId, runRow, sessionRow, start, watchRow } from "../rows.ts";
import { commit, createSession, need, refuse, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

export const sessionCases = casesOf("sessions", [
  {
    name: "a new session starts empty, at the commit's time, as the root of its own tree",
    run: async ({ store }) => {
      const create = sessionRow({ kind: "group", channel: "slack", agentId: "research" });
      const id = newId();
      await write(store, { id, create }, start + 5);
      const row = await need(store, "session", id);
      equal(row.sessionKey, create.sessionKey);
      equal(row.sessionId, create.sessionId);
      equal(row.agentId, "research");
      equal(row.kind, "group");
      equal(row.channel, "slack");
      deepEqual([row.rootId, row.parentId, row.spawnDepth], [id, null, 0]);
      deepEqual([row.createdAt, row.updatedAt, row.listRank], [start + 5, start + 5, -(start + 5)]);
      deepEqual([row.firstSeq, row.lastSeq, row.lastRunNo, row.stateVersion], [1, 0, 0, 0]);
      deepEqual([row.queuedRuns, row.activeRunId, row.pendingRows, row.openYields], [0, null, 0, 0]);
      deepEqual([row.archived, row.pinned, row.deletedAt], [0, 0, null]);
      deepEqual([row.label, row.model, row.goal, row.route], [null, null, null, null]);
      deepEqual(row.settings, {});
    },
  },
  {
    name: "the fields given at creation are there, objects as objects",
    run: async ({ store }) => {
      const route = { channel: "slack", to: "C1", threadId: "1.2" };
      const fields = { label: "build", model: "m", route, settings: { verboseLevel: "on" }, sandboxed: 1, pinned: 1 };
      const id = await createSession(store, { fields });
      const row = await need(store, "session", id);
      deepEqual([row.label, row.model, row.sandboxed, row.pinned], ["build", "m", 1, 1]);
      deepEqual(row.route, route);
      deepEqual(row.settings, { verboseLevel: "on" });
      equal(row.listRank, -start - 1e15);
    },
  },
  {
    name: "a child gets its depth, its root and one lineage row for each ancestor",
    run: async ({ store }) => {
      const root = await createSession(store);
      const child = await createSession(store, { parentId: root });
      const grandchild = await createSession(store, { parentId: child });
      const row = await need(store, "session", grandchild);
      deepEqual([row.parentId, row.rootId, row.spawnDepth], [child, root, 2]);
      const [above, below, none] = await store.read([
        { find: "lineage", index: "descendant", equals: [grandchild], limit: 10 },
        { find: "lineage", index: "ancestor", equals: [root], limit: 10 },
        { find: "lineage", index: "descendant", equals: [root], limit: 10 },
      ]);
      deepEqual(
        above.map((one) => [one.ancestorId, one.distance]),
        [
          [child, 1],
          [root, 2],
        ],
      );
      deepEqual(
        below.map((one) => [one.descendantId, one.distance]),
        [
          [child, 1],
          [grandchild, 2],
        ],
      );
      equal(none.length, 0);
      const [probe] = await store.read([{ get: "lineage", key: `${root}\n${grandchild}` }]);
      equal(probe?.distance, 2);
    },
  },
  {
    name: "a parent and its child may be made in one commit",
    run: async ({ store }) => {
      const [parent, child] = [newId(), newId()];
      await commit(store, {
        sessions: [
          { id: parent, create: sessionRow() },
          { id: child, create: sessionRow({ parentId: parent }) },
        ],
      });
      const row = await need(store, "session", child);
      deepEqual([row.rootId, row.spawnDepth], [parent, 1]);
      equal((await need(store, "lineage", `${parent}\n${child}`)).distance, 1);
    },
  },
  {
    name: "a child of a parent that does not exist is refused",
    run: ({ store }) =>
      refuse(store, { sessions: [{ id: newId(), create: sessionRow({ parentId: newId() }) }] }, "there is no parent"),
  },
  {
    name: "a session is made with its first message, run, event and watch in one commit",
    run: async ({ store }) => {
      const parent = await createSession(store);
      const id = newId();
      const task = messageRow("task");
      const run = runRow({ kind: "child", lane: "subagent", inputIds: [task.id] });
      const watch = watchRow(parent, id, { lastSeen: 1, notified: 1, material: 1 });
      const result = await commit(store, {
        sessions: [
          { id: parent, touchFamily: true },
          {
            id,
            create: sessionRow({ parentId: parent }),
            add: { watchCount: 1 },
            append: [{ from: "outside", messages: [task] }],
            enqueue: [run],
            events: [{ kind: "created", actorKind: "agent", actorId: "main", data: {} }],
          },
        ],
        records: [{ kind: "watch", insert: watch }],
        counters: [{ scope: `children:${parent}`, by: 1, atMost: 5 }],
      });
      const made = result.sessions.find((one) => one.id === id);
      deepEqual(made, { id, lastSeq: 1, lastRunNo: 1, stateVersion: 1, claimableRunId: run.id, parked: false });
      const row = await need(store, "session", id);
      deepEqual([row.watchCount, row.queuedRuns, row.spawnDepth], [1, 1, 1]);
      equal((await need(store, "watch", watch.id)).isOpen, 0);
    },
  },
  {
    name: "setting a value to null clears it, and columns that were not named keep theirs",
    run: async ({ store }) => {
      const id = await createSession(store, { fields: { label: "a", goal: "g", model: "m" } });
      await write(store, { id, set: { label: null, goal: "h" } });
      const row = await need(store, "session", id);
      deepEqual([row.label, row.goal, row.model], [null, "h", "m"]);
    },
  },
  {
    name: "B120: patching changes what it names: not createdAt, updatedAt or the key, and no row that belongs to the session",
    run: async ({ store }) => {
      const [watcher, id] = [await createSession(store), await createSession(store)];
      const child = await createSession(store, { parentId: id });
      await write(store, {
        id,
        append: [{ from: "outside", messages: [messageRow("text")] }],
        enqueue: [runRow()],
        events: [{ kind: "created", actorKind: "system", actorId: null, data: {} }],
        add: { watchCount: 1 },
      });
      await commit(store, { records: [{ kind: "watch", insert: watchRow(watcher, id) }] });
      const rows = async () => [
        await store.read([
          { find: "run", index: "runNo", equals: [id], limit: 10 },
          { find: "stateEvent", index: "version", equals: [id], limit: 10 },
          { find: "watch", index: "target", equals: [id], limit: 10 },
          { find: "epoch", index: "session", equals: [id], limit: 10 },
          { get: "lineage", key: `${id}\n${child}` },
          { get: "session", key: child },
        ]),
        await transcript(store, id),
      ];
      const [before, rowsBefore] = [await need(store, "session", id), await rows()];
      for (const label of ["one", "two", "three"]) await write(store, { id, set: { label } }, start + 9000);
      const after = await need(store, "session", id);
      deepEqual(after, { ...before, label: "three", version: after.version });
      deepEqual(await rows(), rowsBefore);
    },
  },
  {
    name: "updatedAt and pinned move the list rank, together or alone",
    run: async ({ store }) => {
      const id = await createSession(store);
      const rank = async () => (await need(store, "session", id)).listRank;
      await write(store, { id, set: { updatedAt: start + 1 } });
      equal(await rank(), -(start + 1));
      await write(store, { id, set: { pinned: 1 } });
      equal(await rank(), -(start + 1) - 1e15);
      await write(store, { id, set: { updatedAt: start + 2 } });
      equal(await rank(), -(start + 2) - 1e15);
      await write(store, { id, set: { pinned: 0, updatedAt: start + 3 } });
      equal(await rank(), -(start + 3));
    },
  },
  {
    name: "adding counts on, below what was there too",
    run: async ({ store }) => {
      const id = await createSession(store);
      await write(store, { id, add: { inputTokens: 10, outputTokens: 5, totalTokens: 15, watchCount: 2 } });
      await write(store, { id, add: { inputTokens: 1, watchCount: -1 } });
      const row = await need(store, "session", id);
      deepEqual([row.inputTokens, row.outputTokens, row.totalTokens, row.watchCount], [11, 5, 15, 1]);
    },
  },
  {
    name: "every write of a session moves its version, touchFamily its family version",
    run: async ({ store }) => {
      const id = await createSession(store);
      const before = await need(store, "session", id);
      await write(store, { id, set: { label: "a" } });
      const patched = await need(store, "session", id);
      ok(patched.version > before.version, "the version moved");
      equal(patched.familyVersion, before.familyVersion);
      await write(store, { id, touchFamily: true });
      const touched = await need(store, "session", id);
      equal(touched.familyVersion, before.familyVersion + 1);
      notEqual(touched.version, patched.version);
    },
  },
  {
    name: "writing the value that is there already is a write and not a refusal",
    run: async ({ store }) => {
      const id = await createSession(store, { fields: { label: "same" } });
      await write(store, { id, set: { label: "same" } });
      await write(store, { id, when: { archived: false }, set: { label: "same" } });
    },
  },
  {
    name: "a write of a session that does not exist is refused",
    run: ({ store }) => refuse(store, { sessions: [{ id: newId(), set: { label: "a" } }] }, "there is no such session"),
  },
  {
    name: "several sessions are written in one commit, and the results name each",
    run: async ({ store }) => {
      const ids = [await createSession(store), await createSession(store), await createSession(store)];
      const result = await commit(store, {
        sessions: ids.map((id, index) => ({ id, set: { label: `l${index}` } })),
      });
      deepEqual(new Set(result.sessions.map((one) => one.id)), new Set(ids));
      for (const [index, id] of ids.entries()) equal((await need(store, "session", id)).label, `l${index}`);
    },
  },
]);
