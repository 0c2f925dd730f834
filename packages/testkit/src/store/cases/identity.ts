import { deepEqual, equal, rejects } from "node:assert/strict";
import { TrunklineError } from "@trunkline/core";
import { newId, runRow, sessionRow } from "../rows.ts";
import { commit, createSession, digest, get, list, need, refuse, write } from "../steps.ts";
import { casesOf, type StoreBench } from "../store-case.ts";

const isTooLarge = (error: unknown) => TrunklineError.isInstance(error) && error.code === "store_too_large";

/** Pairs of keys that some database takes for one, and the field report that says so. */
const twins: readonly (readonly [string, string, string, string])[] = [
  ["B109", "case", "a", "A"],
  ["B109", "an accent", "e", "\u00e9"],
  ["B109", "composition", "\u00e9", "e\u0301"],
  ["B110", "a trailing space", "k", "k "],
  ["B109", "sharp s", "ss", "\u00df"],
  ["B109", "width", "a", "\uff41"],
  ["B119", "an underscore", "a_b", "aXb"],
  ["B119", "a percent sign", "a%", "ab"],
  ["B119", "a backslash", "a\\", "a\\\\"],
  ["B114", "an emoji", "\u{1f600}", "\u{1f601}"],
  ["B114", "a rare ideograph", "\u{20bb7}", "\u{20bb8}"],
];

/** As many emoji, in an order that no database can store in less. */
const emoji = (count: number): string =>
  Array.from({ length: count }, (_value, index) => String.fromCodePoint(0x1f300 + ((index * 7919) % 701))).join("");

export const identityCases = casesOf("identity", [
  ...twins.map(([report, difference, one, two]) => ({
    name: `${report}: keys that differ by ${difference} are two sessions`,
    run: async ({ store }: StoreBench) => {
      for (const peer of [one, two]) await createSession(store, { sessionKey: `agent:main:direct:${peer}` });
      for (const peer of [one, two]) {
        const sessionKey = `agent:main:direct:${peer}`;
        const [rows] = await store.read([{ find: "session", index: "sessionKey", equals: [sessionKey], limit: 5 }]);
        deepEqual(
          rows.map((row) => row.sessionKey),
          [sessionKey],
        );
      }
    },
  })),
  {
    name: "an existing key refuses the commit",
    run: async ({ store }) => {
      const sessionKey = "agent:main:direct:taken";
      const id = await createSession(store, { sessionKey });
      const second = newId();
      await refuse(store, { sessions: [{ id: second, create: sessionRow({ sessionKey }) }] }, "the key is taken");
      equal(await get(store, "session", second), undefined);
      equal((await need(store, "session", id)).sessionKey, sessionKey);
    },
  },
  {
    name: "an existing sessionId refuses the commit",
    run: async ({ store }) => {
      const sessionId = newId();
      await createSession(store, { sessionId });
      await refuse(store, { sessions: [{ id: newId(), create: sessionRow({ sessionId }) }] }, "the sessionId is taken");
    },
  },
  {
    name: "an existing row id refuses the commit",
    run: async ({ store }) => {
      const id = await createSession(store);
      await refuse(store, { sessions: [{ id, create: sessionRow() }] }, "the row exists");
    },
  },
  {
    name: "a key that a deleted session gave up can be used again",
    run: async ({ store }) => {
      const sessionKey = "agent:main:direct:freed";
      const id = await createSession(store, { sessionKey });
      await write(store, { id, set: { sessionKey: `~deleted:${id}`, archived: 2, deletedAt: 1 } });
      const next = await createSession(store, { sessionKey });
      const [rows] = await store.read([{ find: "session", index: "sessionKey", equals: [sessionKey], limit: 5 }]);
      deepEqual(
        rows.map((row) => row.id),
        [next],
      );
    },
  },
  {
    name: "B115: a key of 512 bytes is stored, one more is refused with store_too_large before the write",
    run: async ({ store }) => {
      const prefix = "agent:main:direct:";
      const longest = `${prefix}${"é".repeat((512 - prefix.length) / 2)}`;
      equal(Buffer.byteLength(longest), 512);
      const id = await createSession(store, { sessionKey: longest });
      equal((await need(store, "session", id)).sessionKey, longest);
      const other = newId();
      await rejects(write(store, { id: other, create: sessionRow({ sessionKey: `${longest}x` }) }), isTooLarge);
      equal(await get(store, "session", other), undefined);
    },
  },
  {
    name: "B115: names of 190 bytes and labels of 512 characters are stored, longer ones refused with store_too_large",
    run: async ({ store }) => {
      const [name, label] = ["c".repeat(190), emoji(512)];
      const agentId = `${emoji(47)}aa`;
      const id = await createSession(store, { sessionKey: `agent:${emoji(126)}ab`, agentId, fields: { label } });
      await write(store, { id, enqueue: [runRow({ cause: name })] });
      const [found] = await store.read([{ find: "session", index: "label", equals: [label, agentId], limit: 5 }]);
      deepEqual(
        found.map((row) => [row.id, row.label, row.agentId]),
        [[id, label, agentId]],
      );
      const before = await digest(store, [id]);
      await rejects(write(store, { id, enqueue: [runRow({ cause: `${name}c` })] }), isTooLarge);
      await rejects(write(store, { id, set: { goal: "no", label: `${label}l` } }), isTooLarge);
      equal(await digest(store, [id]), before);
    },
  },
  {
    name: "B109, B110: labels are matched to the byte",
    run: async ({ store }) => {
      const labels = ["build", "Build", "bu\u00efld", "build "];
      for (const label of labels) await createSession(store, { fields: { label } });
      for (const label of labels) {
        const rows = await list(store, { label });
        deepEqual(
          rows.map((row) => row.label),
          [label],
        );
        const [found] = await store.read([{ find: "session", index: "label", equals: [label, "main"], limit: 5 }]);
        deepEqual(
          found.map((row) => row.label),
          [label],
        );
      }
    },
  },
  {
    name: "B109, B110: values of other unique columns are compared to the byte",
    run: async ({ store }) => {
      const id = await createSession(store);
      await commit(store, {
        sessions: [
          { id, enqueue: [runRow({ cause: "flow:a" }), runRow({ cause: "flow:A" }), runRow({ cause: "flow:a " })] },
        ],
      });
      const [rows] = await store.read([{ find: "run", index: "cause", equals: ["flow:A"], limit: 5 }]);
      deepEqual(
        rows.map((row) => row.cause),
        ["flow:A"],
      );
      equal((await need(store, "session", id)).lastRunNo, 3);
    },
  },
]);
