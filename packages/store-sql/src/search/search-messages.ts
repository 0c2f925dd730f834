import type { MessageHit, MessageSearch, SessionRecord } from "@trunkline/core";
import { sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { readSessions } from "../read/list-sessions.ts";
import { selectAll } from "../read/select.ts";
import { type Filter, inList, scopeMembers } from "../read/session-filter.ts";
import { slot } from "../shapes.ts";
import type { Row, Statement, Steps } from "../statement.ts";
import { searchedWords } from "./index-batch.ts";
import type { IndexQuery, SearchTerm } from "./message-index.ts";
import { holdsTerms, wordsOf } from "./words.ts";

/** Rows that are looked at in one go, where the index finds more than was asked for. */
const candidateRows = 50;

/** Messages of current incarnations that hold all the words, newest first. Hidden rows and system entries are no hits. */
export function* searchMessagesSteps(context: SqlContext, search: MessageSearch): Steps<readonly MessageHit[]> {
  const terms = search.words.map(wordsOf).filter((term) => term.length > 0);
  const scope = scopeFilter(context, search);
  if (terms.length === 0 || scope === undefined || search.limit <= 0) return [];
  const query = context.messageIndex.find(terms);
  const candidates = candidatesOf(context, search, query, scope);
  const offset = search.offset ?? 0;
  const rows = query.exact
    ? yield* selectAll(candidates(search.limit, offset))
    : yield* selectChecked(candidates, terms, search.limit, offset);
  const messages = rows.map((row) => context.decode.message(row));
  const sessions = new Map<string, SessionRecord>();
  const ids = [...new Set(messages.map((message) => message.sessionRow))];
  for (const session of yield* readSessions(context, ids)) sessions.set(session.id, session);
  return messages.flatMap((message) => {
    const session = sessions.get(message.sessionRow);
    return session === undefined ? [] : [{ session, message }];
  });
}

type Candidates = (limit: number, offset: number) => Statement;

/** Goes through what the index finds until enough rows hold the terms. */
function* selectChecked(
  candidates: Candidates,
  terms: readonly SearchTerm[],
  limit: number,
  offset: number,
): Steps<readonly Row[]> {
  const found: Row[] = [];
  for (let from = 0; found.length < offset + limit; from += candidateRows) {
    const rows = yield* selectAll(candidates(candidateRows, from));
    found.push(...rows.filter((row) => holdsTerms(searchedWords(row), terms)));
    if (rows.length < candidateRows) break;
  }
  return found.slice(offset, offset + limit);
}

function candidatesOf(
  { shape, tables }: SqlContext,
  search: MessageSearch,
  query: IndexQuery,
  scope: Filter,
): Candidates {
  const archived = search.archived === undefined ? sql`s.archived < 2` : sql`s.archived = ${slot("archived")}`;
  const agent = search.agentId === undefined ? sql`` : sql`and s.agent_id = ${slot("agentId")}`;
  const classes = search.includeTools ? sql`m.class < 2` : sql`m.class = 0`;
  const selection = tables.message.columns.map(
    ({ name, property }) => sql`${sql.ref(`m.${name}`)} as ${sql.id(property)}`,
  );
  const statement = shape(
    `search ${query.name} ${scope.name} ${search.includeTools} ${search.archived !== undefined} ${search.agentId !== undefined}`,
    (db) => ({
      compile: () =>
        sql`select ${sql.join(selection)} from ${query.source} cross join ${sql.table(tables.session.name)} as s
        where ${query.condition} and s.id = m.session_row and m.seq >= s.first_seq
        and ${classes} and m.role <> 'system' and ${archived} ${agent} and ${scope.build()}
        order by ${query.newestFirst} limit ${slot("limit")} offset ${slot("offset")}`.compile(db),
    }),
  );
  const values = { ...scope.values, ...query.values, archived: search.archived ? 1 : 0, agentId: search.agentId };
  return (limit, offset) => statement.bind({ ...values, limit, offset });
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
