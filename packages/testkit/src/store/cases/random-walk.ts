import { deepEqual, equal } from "node:assert/strict";
import type { SessionStore } from "@trunkline/core";
import { createRandom } from "../random.ts";
import { messageRow, newId, runRow, start } from "../rows.ts";
import { createSessionModel, modelQueue, modelSay, modelUnpark, type SessionModel } from "../session-model.ts";
import { claimOf, commit, createSession, endOf, need, queue, refuse, say, texts, transcript, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

/** A session under test beside its model. */
interface Walk {
  readonly store: SessionStore;
  readonly id: string;
  readonly model: SessionModel;
  /** A text that was not used before. */
  readonly text: (what: string) => string;
}

/** The moves of the walk; each does the same to the store and to the model. */
const moves: readonly ((walk: Walk) => Promise<void>)[] = [
  async function hear({ store, id, model, text }) {
    const heard = [text("outside"), text("outside")];
    await say(store, id, heard);
    modelSay(model, heard);
  },
  async function ask({ store, id, model, text }) {
    const input = text("input");
    const run = await queue(store, id, input);
    modelSay(model, [input]);
    modelQueue(model, run.id);
  },
  async function claim({ store, id, model }) {
    const head = model.queued[0];
    if (!head) return;
    if (model.active) return refuse(store, claimOf(id, { id: head.id, fence: 1 }), "another run has the lane");
    await commit(store, claimOf(id, { id: head.id, fence: 1 }));
    model.queued.shift();
    model.active = { ...head, started: false };
  },
  async function begin({ store, id, model }) {
    if (!model.active || model.active.started) return;
    const { inputThrough } = await need(store, "run", model.active.id);
    const activeRun = { id: model.active.id, fence: 1 };
    await write(store, { id, when: { activeRun }, unpark: { through: inputThrough } });
    modelUnpark(model, model.active.through);
    model.active.started = true;
  },
  async function work({ store, id, model, text }) {
    if (!model.active?.started) return;
    const made = text("made");
    const activeRun = { id: model.active.id, fence: 1 };
    await write(store, { id, when: { activeRun }, append: [{ from: "run", messages: [messageRow(made)] }] });
    model.sequence.push(made);
  },
  async function end({ store, id, model, text }) {
    if (!model.active?.started) return;
    const [answer, entry, follower] = [text("answer"), text("entry"), runRow()];
    await commit(
      store,
      endOf(
        id,
        { id: model.active.id, fence: 1 },
        {
          append: [
            { from: "run", messages: [messageRow(answer)] },
            { from: "outside", messages: [messageRow(entry)] },
          ],
          ...(model.runs % 3 === 0 && { enqueue: [follower] }),
        },
      ),
    );
    model.active = undefined;
    model.sequence.push(answer);
    modelSay(model, [entry]);
    if (model.runs % 3 === 0) modelQueue(model, follower.id);
  },
  async function cancel({ store, id, model }) {
    const last = model.queued.length > 2 ? model.queued.pop() : model.queued.shift();
    if (!last) return;
    await commit(store, {
      sessions: [{ id, add: { queuedRuns: -1 } }],
      records: [
        { kind: "run", key: last.id, when: { state: "queued" }, set: { state: "cancelled", claimableAt: null } },
      ],
    });
  },
  async function reset({ store, id, model }) {
    if (model.active || model.sequence.length % 4 !== 0) return;
    await commit(store, {
      sessions: [{ id, set: { sessionId: newId() }, add: { queuedRuns: -model.queued.length } }],
      records: model.queued.map((run) => ({
        kind: "run" as const,
        key: run.id,
        set: { state: "cancelled" as const, claimableAt: null },
      })),
    });
    model.queued.length = 0;
    modelUnpark(model, model.arrivals);
    model.firstSeq = model.sequence.length + 1;
  },
];

async function compare({ store, id, model }: Walk): Promise<void> {
  const row = await need(store, "session", id);
  deepEqual(
    [row.lastSeq, row.firstSeq, row.pendingRows, row.queuedRuns, row.activeRunId, row.lastRunNo],
    [
      model.sequence.length,
      model.firstSeq,
      model.parked.length,
      model.queued.length,
      model.active?.id ?? null,
      model.runs,
    ],
  );
  const rows = await transcript(store, id);
  deepEqual(texts(rows), [...model.sequence, ...model.parked.map((one) => one.text)]);
  deepEqual(
    rows.slice(0, row.lastSeq).map((one) => one.seq),
    model.sequence.map((_text, index) => index + 1),
  );
  const [queued] = await store.read([{ find: "run", index: "sessionState", equals: [id, "queued"], limit: 1000 }]);
  deepEqual(
    queued.map((run) => run.id),
    model.queued.map((run) => run.id),
  );
  const head = model.active ? undefined : model.queued[0]?.id;
  deepEqual(
    queued.filter((run) => run.claimableAt !== null).map((run) => run.id),
    head === undefined ? [] : [head],
  );
}

export const randomWalkCases = casesOf(
  "random walks",
  [1, 2, 3, 4, 5].map((seed) => ({
    name: `lane, queue, parking and transcript agree with a model after each of 150 random steps (seed ${seed})`,
    timeoutMs: 120_000,
    run: async ({ store, open, capabilities }) => {
      const stores = capabilities.shared ? [store, await open()] : [store];
      const random = createRandom(seed);
      const id = await createSession(store, {}, start);
      const model = createSessionModel();
      let said = 0;
      const taken: string[] = [];
      for (let step = 0; step < 150; step++) {
        const move = random.pick(moves);
        const walk = { store: random.pick(stores) ?? store, id, model, text: (what: string) => `${what} ${++said}` };
        taken.push(move?.name ?? "");
        await move?.(walk);
        await compare(walk).catch((error: unknown) => {
          throw new Error(`after ${taken.slice(-8).join(", ")}`, { cause: error });
        });
      }
      equal(new Set(taken).size, moves.length);
    },
  })),
);
