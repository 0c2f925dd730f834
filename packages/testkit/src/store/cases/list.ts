import { deepEqual, equal, ok } from "node:assert/strict";
import type { SessionListQuery, SessionRecord, SessionStore } from "@trunkline/core";
import { newId, start } from "../rows.ts";
import { createSession, list, write } from "../steps.ts";
import { casesOf } from "../store-case.ts";

const labels = (rows: readonly SessionRecord[]): readonly (string | null)[] => rows.map((row) => row.label);

/** A session whose label is its name. */
const named = (store: SessionStore, label: string, updatedAt: number, over: object = {}): Promise<string> =>
  createSession(store, { fields: { label, updatedAt, ...over } });

/** Walks all pages by cursor. */
async function walk(
  store: SessionStore,
  query: Partial<SessionListQuery>,
  between: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const found: string[] = [];
  let after: SessionListQuery["after"];
  for (let pages = 0; pages < 100; pages++) {
    const rows = await list(store, { ...query, ...(after && { after }) });
    found.push(...rows.map((row) => row.id));
    const last = rows.at(-1);
    if (!last) return found;
    after = { listRank: last.listRank, sessionKey: last.sessionKey };
    await between();
  }
  throw new Error("the pages by cursor do not end");
}

export const listCases = casesOf("listing", [
  {
    name: "B123: pinned sessions come first, then the newest; a limit keeps these",
    run: async ({ store }) => {
      await named(store, "old", start);
      await named(store, "new", start + 2);
      await named(store, "pinned old", start - 5, { pinned: 1 });
      await named(store, "middle", start + 1);
      await named(store, "pinned new", start - 4, { pinned: 1 });
      deepEqual(labels(await list(store)), ["pinned new", "pinned old", "new", "middle", "old"]);
      deepEqual(labels(await list(store, { limit: 3 })), ["pinned new", "pinned old", "new"]);
      deepEqual(labels(await list(store, { limit: 2, offset: 2 })), ["new", "middle"]);
      deepEqual(await list(store, { offset: 5 }), []);
    },
  },
  {
    name: "a session that is updated, pinned or unpinned moves to its new place",
    run: async ({ store }) => {
      const [a] = [
        await named(store, "a", start),
        await named(store, "b", start + 1),
        await named(store, "c", start + 2),
      ];
      await write(store, { id: a, set: { updatedAt: start + 3 } });
      deepEqual(labels(await list(store)), ["a", "c", "b"]);
      await write(store, { id: a, set: { updatedAt: start } });
      await write(store, { id: a, set: { pinned: 1 } });
      deepEqual(labels(await list(store)), ["a", "c", "b"]);
      await write(store, { id: a, set: { pinned: 0 } });
      deepEqual(labels(await list(store)), ["c", "b", "a"]);
    },
  },
  {
    name: "archived sessions are listed alone and only when asked for, deleted ones never",
    run: async ({ store }) => {
      await named(store, "live", start);
      await named(store, "archived", start, { archived: 1 });
      const deleted = await named(store, "deleted", start);
      await write(store, { id: deleted, set: { archived: 2, deletedAt: start } });
      deepEqual(labels(await list(store)), ["live"]);
      deepEqual(labels(await list(store, { archived: true })), ["archived"]);
    },
  },
  {
    name: "B122: 205 sessions of one updatedAt are paged out once each, by offset, and by cursor while some are written",
    run: async ({ store }) => {
      const ids: string[] = [];
      for (let index = 0; index < 205; index++) ids.push(await named(store, `s${index}`, start));
      const byOffset: string[] = [];
      for (let offset = 0; offset < 220; offset += 20)
        byOffset.push(...(await list(store, { limit: 20, offset })).map((row) => row.id));
      equal(byOffset.length, 205);
      deepEqual(new Set(byOffset), new Set(ids));
      // One that was listed moves to the front, and one that was not is patched.
      let page = 0;
      const byCursor = await walk(store, { limit: 20 }, async () => {
        const [listed, unlisted] = [byOffset[page * 20], byOffset[(page + 1) * 20 + 10]];
        page++;
        if (listed) await write(store, { id: listed, set: { updatedAt: start + page } });
        if (unlisted) await write(store, { id: unlisted, set: { goal: "patched" } });
      });
      deepEqual(byCursor, byOffset);
    },
  },
  {
    name: "B122: pages by cursor repeat and skip no unchanged row while others change between them",
    run: async ({ store }) => {
      const ids: string[] = [];
      for (let index = 0; index < 40; index++) ids.push(await named(store, `s${index}`, start + (index % 5)));
      const moving = ids.filter((_id, index) => index % 4 === 0);
      let round = 0;
      const found = await walk(store, { limit: 7 }, async () => {
        const id = moving[round++ % moving.length];
        if (id) await write(store, { id, set: { updatedAt: start + 100 + round } });
        await named(store, "newer", start + 200 + round);
      });
      const still = ids.filter((id) => !moving.includes(id));
      deepEqual(found.filter((id) => still.includes(id)).length, still.length);
      ok(
        still.every((id) => found.includes(id)),
        "each unchanged row was seen",
      );
    },
  },
  {
    name: "a cursor stands between rows of one rank by key, and works where its row has gone",
    run: async ({ store }) => {
      const keys = ["agent:main:direct:a", "agent:main:direct:b", "agent:main:direct:c", "agent:main:direct:d"];
      for (const sessionKey of keys) await createSession(store, { sessionKey });
      const after = (sessionKey: string) => list(store, { after: { listRank: -start, sessionKey }, limit: 2 });
      deepEqual(
        (await after("agent:main:direct:a")).map((row) => row.sessionKey),
        keys.slice(1, 3),
      );
      deepEqual(
        (await after("agent:main:direct:bb")).map((row) => row.sessionKey),
        keys.slice(2),
      );
      deepEqual(await after("agent:main:direct:d"), []);
    },
  },
  {
    name: "filters hold alone and together: kind, agent, label, pinned, activity",
    run: async ({ store }) => {
      const make = (label: string, kind: SessionRecord["kind"], agentId: string, pinned: number, updatedAt: number) =>
        createSession(store, { kind, agentId, fields: { label, pinned, updatedAt } });
      await make("a", "main", "main", 0, start + 3);
      await make("b", "group", "main", 1, start + 2);
      await make("c", "group", "research", 0, start + 1);
      await make("d", "cron", "research", 0, start);
      const find = async (over: Partial<SessionListQuery>) => labels(await list(store, over)).join("");
      equal(await find({ kinds: ["group"] }), "bc");
      equal(await find({ kinds: ["main", "cron"] }), "ad");
      equal(await find({ agentId: "research" }), "cd");
      equal(await find({ label: "c" }), "c");
      equal(await find({ pinned: true }), "b");
      equal(await find({ pinned: false }), "acd");
      equal(await find({ updatedSince: start + 2 }), "ba");
      equal(await find({ kinds: ["group"], agentId: "research", pinned: false, updatedSince: start + 1 }), "c");
      equal(await find({ kinds: ["group"], limit: 1, offset: 1 }), "c");
    },
  },
  {
    name: "a scope of nothing holds nothing",
    run: async ({ store }) => {
      await named(store, "a", start);
      for (const scope of [{}, { ids: [] }, { agentIds: [] }, { ids: [], agentIds: [] }])
        deepEqual(await list(store, { scope }), []);
    },
  },
  {
    name: "the members of a scope are joined: ids, agents, descendants",
    run: async ({ store }) => {
      const root = await named(store, "root", start + 9);
      const child = await createSession(store, {
        agentId: "other",
        parentId: root,
        fields: { label: "child", updatedAt: start + 8 },
      });
      await createSession(store, { parentId: child, fields: { label: "grandchild", updatedAt: start + 7 } });
      const stranger = await createSession(store, {
        agentId: "third",
        fields: { label: "stranger", updatedAt: start + 6 },
      });
      const find = async (scope: SessionListQuery["scope"], over: Partial<SessionListQuery> = {}) =>
        labels(await list(store, { scope, ...over }));
      deepEqual(await find({ ids: [stranger, root, newId()] }), ["root", "stranger"]);
      deepEqual(await find({ agentIds: ["other"] }), ["child"]);
      deepEqual(await find({ ids: [root], agentIds: ["third", "other"] }), ["root", "child", "stranger"]);
      deepEqual(await find({ ids: [root], descendantsOf: { id: root, isRoot: true } }), [
        "root",
        "child",
        "grandchild",
      ]);
      deepEqual(await find({ ids: [child], descendantsOf: { id: child, isRoot: false } }), ["child", "grandchild"]);
      deepEqual(
        await find({ descendantsOf: { id: stranger, isRoot: true }, ids: [child] }, { limit: 1 }).then((found) =>
          found.includes("root"),
        ),
        false,
      );
      deepEqual(
        await find({ ids: [root, stranger], descendantsOf: { id: root, isRoot: true } }, { limit: 2, offset: 1 }),
        ["child", "grandchild"],
      );
    },
  },
  {
    name: "B119: percent, underscore and case of an agent's id are letters in a scope and in a filter",
    run: async ({ store }) => {
      const agents = ["a_b", "aXb", "a%", "ab", "A_b", "a\\_b"];
      for (const agentId of agents) await createSession(store, { agentId, fields: { label: agentId } });
      for (const agentId of agents) {
        deepEqual(labels(await list(store, { scope: { agentIds: [agentId] } })), [agentId]);
        deepEqual(labels(await list(store, { agentId })), [agentId]);
        deepEqual(labels(await list(store, { scope: { agentIds: [agentId, "none"] }, label: agentId })), [agentId]);
      }
    },
  },
  {
    name: "a row that several members of a scope hold is listed once",
    run: async ({ store }) => {
      const root = await named(store, "root", start);
      await createSession(store, { parentId: root, fields: { label: "child", updatedAt: start - 1 } });
      const scope = { ids: [root, root], agentIds: ["main"], descendantsOf: { id: root, isRoot: true } };
      deepEqual(labels(await list(store, { scope })), ["root", "child"]);
    },
  },
  {
    name: "a scope bounds every filter: a search finds nothing outside it",
    run: async ({ store }) => {
      await createSession(store, { agentId: "secret", fields: { label: "needle" } });
      deepEqual(await list(store, { scope: { agentIds: ["main"] }, search: "needle" }), []);
      deepEqual(await list(store, { scope: { agentIds: ["main"] }, label: "needle" }), []);
      deepEqual(await list(store, { scope: { agentIds: ["main"] }, agentId: "secret" }), []);
    },
  },
]);
