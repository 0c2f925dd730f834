import { firstParkedSeq, type SessionStore } from "@trunkline/core";
import { describe, expect, test } from "vitest";
import { createSessions, memoryStore, message, readSession, run, transcript, write } from "./fixtures.ts";

const fence = (id: string) => ({ id, fence: 1 });

async function admit(store: SessionStore, id: string, session = "s") {
  return await write(store, {
    id: session,
    append: [{ from: "outside", messages: [message(`m-${id}`)] }],
    enqueue: [run(id)],
  });
}

async function claim(store: SessionStore, id: string, session = "s") {
  return await store.commit({
    at: 1000,
    sessions: [{ id: session, lane: { take: fence(id) }, add: { queuedRuns: -1 } }],
    records: [
      { kind: "run", key: id, when: { state: "queued", fence: 0 }, set: { state: "claimed" }, add: { fence: 1 } },
    ],
  });
}

async function readRun(store: SessionStore, id: string) {
  const [found] = await store.read([{ get: "run", key: id }]);
  return found;
}

describe("the lane", () => {
  test("an admit on an idle session takes the next number and its run is claimable", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    expect(await admit(store, "r1")).toMatchObject({ lastSeq: 1, lastRunNo: 1, claimableRunId: "r1", parked: false });
    expect(await readRun(store, "r1")).toMatchObject({ runNo: 1, claimableAt: 1000, inputThrough: 0, state: "queued" });
    expect(await readSession(store, "s")).toMatchObject({ queuedRuns: 1, lastSeq: 1, pendingRows: 0 });
  });

  test("a second admit is parked and its run waits behind the first", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    expect(await admit(store, "r2")).toMatchObject({ lastSeq: 1, lastRunNo: 2, claimableRunId: null, parked: true });
    expect(await readRun(store, "r2")).toMatchObject({ runNo: 2, claimableAt: null, inputThrough: firstParkedSeq + 1 });
    expect(await transcript(store, "s")).toEqual(["1:m-r1", "+1:m-r2"]);
  });

  test("only one claim takes the lane, and a claimed run is no longer claimable", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    expect((await claim(store, "r1")).committed).toBe(true);
    expect(await claim(store, "r1")).toEqual({ committed: false });
    expect(await readRun(store, "r1")).toMatchObject({ state: "claimed", fence: 1, claimableAt: null });
    expect(await readSession(store, "s")).toMatchObject({ activeRunId: "r1", activeFence: 1, queuedRuns: 0 });
  });

  test("rows of the active run come before what arrived meanwhile, and a start takes in what was parked for it", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    await admit(store, "r2");
    await write(store, { id: "s", append: [{ from: "outside", messages: [message("late-entry")] }] });
    await write(store, {
      id: "s",
      append: [{ from: "run", messages: [message("reply-1", "ok", { role: "assistant" })] }],
    });
    const ended = await write(
      store,
      { id: "s", lane: { free: fence("r1") } },
      { records: [{ kind: "run", key: "r1", set: { state: "ok", endedAt: 1000 } }] },
    );
    expect(ended.claimableRunId).toBe("r2");
    expect(await transcript(store, "s")).toEqual(["1:m-r1", "2:reply-1", "+1:m-r2", "+2:late-entry"]);
    await claim(store, "r2");
    const through = (await readRun(store, "r2"))?.inputThrough ?? 0;
    expect((await write(store, { id: "s", unpark: { through } })).lastSeq).toBe(3);
    expect(await transcript(store, "s")).toEqual(["1:m-r1", "2:reply-1", "3:m-r2", "+2:late-entry"]);
    expect(await readSession(store, "s")).toMatchObject({ pendingRows: 1, pendingNo: 2, lastSeq: 3 });
  });

  test("named parked rows move in arrival order", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    for (const id of ["r2", "r3", "r4"]) await admit(store, id);
    await write(store, { id: "s", unpark: { ids: ["m-r4", "m-r2"] } });
    expect(await transcript(store, "s")).toEqual(["1:m-r1", "2:m-r2", "3:m-r4", "+2:m-r3"]);
  });

  test("an entry that waits keeps the next input behind it, which takes both in", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    await write(store, { id: "s", append: [{ from: "outside", messages: [message("entry")] }] });
    await write(
      store,
      { id: "s", lane: { free: fence("r1") } },
      { records: [{ kind: "run", key: "r1", set: { state: "ok" } }] },
    );
    const admitted = await admit(store, "r2");
    expect(admitted).toMatchObject({ parked: true, claimableRunId: "r2" });
    const through = (await readRun(store, "r2"))?.inputThrough ?? 0;
    await claim(store, "r2");
    await write(store, { id: "s", unpark: { through } });
    expect(await transcript(store, "s")).toEqual(["1:m-r1", "2:entry", "3:m-r2"]);
  });

  test("freeing the lane while enqueueing makes the old head claimable, not the new run", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    await admit(store, "r2");
    const ended = await write(
      store,
      { id: "s", lane: { free: fence("r1") }, enqueue: [run("r3")] },
      { records: [{ kind: "run", key: "r1", set: { state: "ok" } }] },
    );
    expect(ended.claimableRunId).toBe("r2");
    expect((await readRun(store, "r3"))?.claimableAt).toBeNull();
  });

  test("freeing the lane with an empty queue makes the new run claimable at once", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    const ended = await write(
      store,
      { id: "s", lane: { free: fence("r1") }, enqueue: [run("r2")] },
      { at: 2000, records: [{ kind: "run", key: "r1", set: { state: "ok" } }] },
    );
    expect(ended.claimableRunId).toBe("r2");
    expect((await readRun(store, "r2"))?.claimableAt).toBe(2000);
  });

  test("a claimed run that goes back is the head again", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    await admit(store, "r2");
    const back = await write(
      store,
      { id: "s", lane: { free: fence("r1") }, add: { queuedRuns: 1 } },
      { at: 3000, records: [{ kind: "run", key: "r1", set: { state: "queued", owner: null } }] },
    );
    expect(back.claimableRunId).toBe("r1");
    expect(await readRun(store, "r1")).toMatchObject({ state: "queued", claimableAt: 3000 });
    expect((await readRun(store, "r2"))?.claimableAt).toBeNull();
  });

  test("cancelling the head of an idle session promotes the next", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await admit(store, "r2");
    const cancelled = await write(
      store,
      { id: "s", add: { queuedRuns: -1 } },
      { records: [{ kind: "run", key: "r1", set: { state: "cancelled" } }] },
    );
    expect(cancelled.claimableRunId).toBe("r2");
    expect((await readRun(store, "r1"))?.claimableAt).toBeNull();
  });

  test("progress of a fenced-off run writes nothing", async () => {
    const store = await memoryStore();
    await createSessions(store, "s");
    await admit(store, "r1");
    await claim(store, "r1");
    const late = await store.commit({
      at: 1,
      sessions: [
        {
          id: "s",
          when: { activeRun: { id: "r1", fence: 2 } },
          append: [{ from: "run", messages: [message("late")] }],
        },
      ],
    });
    expect(late).toEqual({ committed: false });
    expect(await transcript(store, "s")).toEqual(["1:m-r1"]);
  });
});
