import type { MessageHit, MessageSearch, SessionRecord } from "@trunkline/core";
import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { readSessions } from "../read/list-sessions.ts";
import { selectAll } from "../read/select.ts";
import { type Filter, inList, scopeMembers } from "../read/session-filter.ts";
import { slot } from "../shapes.ts";
import type { Steps } from "../statement.ts";

/** Messages of current incarnations that hold all the words, newest first. Hidden rows and system entries are no hits. */
export function* searchMessagesSteps(context: SqlContext, search: MessageSearch): Steps<readonly MessageHit[]> {
  const { shape, tables, decode, messageIndex } = context;
  const words = messageIndex.query(search.words);
  const scope = scopeFilter(context, search);
  if (words === undefined || scope === undefined || search.limit <= 0) return [];
  const archived = search.archived === undefined ? sql`s.archived < 2` : sql`s.archived = ${slot("archived")}`;
  const agent = search.agentId === undefined ? sql`` : sql`and s.agent_id = ${slot("agentId")}`;
  const classes = search.includeTools ? sql`m.class < 2` : sql`m.class = 0`;
  const selection = tables.message.columns.map(
    ({ name, property }) => sql`${sql.ref(`m.${name}`)} as ${sql.id(property)}`,
  );
  const statement = shape(
    `search ${scope.name} ${search.includeTools} ${search.archived !== undefined} ${search.agentId !== undefined}`,
    (db) => ({
      compile: () =>
        sql`select ${sql.join(selection)} from ${messageIndex.source} cross join ${sql.table(tables.session.name)} as s
        where ${messageIndex.matches(slot("words"))} and s.id = m.session_row and m.seq >= s.first_seq
        and ${classes} and m.role <> 'system' and ${archived} ${agent} and ${scope.build()}
        order by ${messageIndex.newestFirst} limit ${slot("limit")} offset ${slot("offset")}`.compile(db),
    }),
  );
  const rows = yield* selectAll(
    statement.bind({
      ...scope.values,
      words,
      archived: search.archived ? 1 : 0,
      agentId: search.agentId,
      limit: search.limit,
      offset: search.offset ?? 0,
    }),
  );
  const messages = rows.map((row) => decode.message(row));
  const sessions = new Map<string, SessionRecord>();
  const ids = [...new Set(messages.map((message) => message.sessionRow))];
  for (const session of yield* readSessions(context, ids)) sessions.set(session.id, session);
  return messages.flatMap((message) => {
    const session = sessions.get(message.sessionRow);
    return session === undefined ? [] : [{ session, message }];
  });
}

/** The scope as one condition on the sessions table; undefined when it is empty. */
function scopeFilter({ tables }: SqlContext, { scope }: MessageSearch): Filter | undefined {
  const agents = [...new Set(scope.agentIds)];
  const members = scopeMembers({ ...scope, agentIds: [] });
  const filters: Filter[] = members.map(({ filter, closureOf }) => {
    if (closureOf === undefined) return filter ?? { name: "every", build: () => sql`1 = 1`, values: {} };
    return {
      name: "closure",
      build: () =>
        sql`s.id in (select descendant_id from ${sql.table(tables.lineage.name)} where ancestor_id = ${slot("closureOf")})`,
      values: { closureOf },
    };
  });
  if (agents.length > 0 && !scope.every) filters.push(inList("scopeAgent", "agent_id", agents));
  if (filters.length === 0) return undefined;
  return {
    name: filters.map((filter) => filter.name).join("|"),
    build: () =>
      sql`(${sql.join(
        filters.map((filter) => sql`(${filter.build()})`),
        sql` or `,
      )})`,
    values: Object.assign({}, ...filters.map((filter) => filter.values)),
  };
}
