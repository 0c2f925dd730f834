import { deepEqual } from "node:assert/strict";
import type { MessageTailsQuery, SessionStore } from "@trunkline/core";
import { messageRow } from "../rows.ts";
import { createSession, queue, say, startRun, texts, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

type Session = MessageTailsQuery["sessions"][number];

const from = (sessionRow: string, firstSeq = 1): Session => ({ sessionRow, firstSeq });

const tails = async (store: SessionStore, sessions: readonly Session[], over: Partial<MessageTailsQuery> = {}) =>
  (await store.readTails({ sessions, classes: [0], limit: 2, ...over })).map(texts);

export const readTailCases = casesOf("reading tails", [
  {
    name: "the newest rows of each session come back ascending, in the order asked, empty ones as empty",
    run: async ({ store }) => {
      const [long, short, empty] = [await createSession(store), await createSession(store), await createSession(store)];
      await say(store, long, ["1", "2", "3", "4"]);
      await say(store, short, ["only"]);
      deepEqual(await tails(store, [from(short), from(empty), from(long)]), [["only"], [], ["3", "4"]]);
      deepEqual(await tails(store, []), []);
      deepEqual(await tails(store, [from(long)], { limit: 0 }), [[]]);
    },
  },
  {
    name: "tails are filtered by class first and cut after, and begin with the incarnation",
    run: async ({ store }) => {
      const id = await createSession(store);
      const classes = [0, 0, 1, 2, 1, 0] as const;
      const messages = classes.map((each, index) => messageRow(`${index}`, { class: each }));
      await write(store, { id, append: [{ from: "outside", messages }] });
      deepEqual(await tails(store, [from(id)]), [["1", "5"]]);
      deepEqual(await tails(store, [from(id)], { classes: [0, 1] }), [["4", "5"]]);
      deepEqual(await tails(store, [from(id)], { classes: [] }), [[]]);
      deepEqual(await tails(store, [from(id, 6)], { limit: 10 }), [["5"]]);
    },
  },
  {
    name: "waiting rows are the end of a tail",
    run: async ({ store }) => {
      const id = await createSession(store);
      await startRun(store, id, await queue(store, id, "question"));
      await say(store, id, ["waits"]);
      deepEqual(await tails(store, [from(id)]), [["question", "waits"]]);
    },
  },
  {
    name: "the tails of hundreds of sessions are read at once",
    run: async ({ store }) => {
      const sessions: string[] = [];
      for (let index = 0; index < 230; index++) {
        const id = await createSession(store);
        sessions.push(id);
        await say(store, id, [`a ${index}`, `b ${index}`, `c ${index}`]);
      }
      deepEqual(
        await tails(
          store,
          sessions.map((id) => from(id)),
        ),
        sessions.map((_id, index) => [`b ${index}`, `c ${index}`]),
      );
    },
  },
]);
