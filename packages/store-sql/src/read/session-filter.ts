import { cleanText, type SessionListQuery, type SessionScope } from "@trunkline/core";
import { type RawBuilder, sql } from "kysely";
import type { SqlContext } from "../context.ts";
import { foldText, partSeparator } from "../search/fold-text.ts";
import { slot } from "../shapes.ts";

/** Part of a where clause whose SQL is determined by `name`, with the values of its slots. */
export interface Filter {
  readonly name: string;
  readonly build: () => RawBuilder<boolean>;
  readonly values: Readonly<Record<string, unknown>>;
}

const column = (name: string) => sql.ref(`s.${name}`);
const never: Filter = { name: "never", build: () => sql`1 = 0`, values: {} };

/** A list's conditions on the sessions table (alias `s`), all but its scope. */
export function listFilters({ traits }: SqlContext, query: SessionListQuery): readonly Filter[] {
  const filters: Filter[] = [archivedIs(query)];
  if (query.kinds !== undefined) filters.push(inList("kind", "kind", query.kinds));
  if (query.agentId !== undefined) filters.push(equality("agentId", "agent_id", query.agentId));
  if (query.label !== undefined) filters.push(equality("label", "label", cleanText(query.label)));
  if (query.pinned !== undefined) filters.push(pinned(query.pinned));
  if (query.updatedSince !== undefined) filters.push(updatedSince(query.updatedSince));
  if (query.search !== undefined && query.search !== "") {
    if (query.search.includes(partSeparator)) filters.push(never);
    else {
      filters.push({
        name: "search",
        build: () => traits.contains(column("search_text"), slot("search")),
        values: { search: foldText(cleanText(query.search)) },
      });
    }
  }
  if (query.after !== undefined) filters.push(after(query.after));
  return filters;
}

/** Beside a label, which few sessions share, it is written so that no planner walks the whole list for it. */
function archivedIs({ archived, label }: SessionListQuery): Filter {
  const values = { archived: archived ? 1 : 0 };
  if (label === undefined) return equality("archived", "archived", values.archived);
  return { name: "archived of label", build: () => sql`${column("archived")} + 0 = ${slot("archived")}`, values };
}

function equality(name: string, columnOf: string, value: unknown): Filter {
  return { name, build: () => sql`${column(columnOf)} = ${slot(name)}`, values: { [name]: value } };
}

/** The rank says both: pinned rows lie 10^15 below the rest, so this is a range of the index. */
function pinned(wanted: boolean): Filter {
  const limit = -5e14;
  return wanted
    ? { name: "pinned", build: () => sql`${column("list_rank")} < ${sql.lit(limit)}`, values: {} }
    : { name: "unpinned", build: () => sql`${column("list_rank")} >= ${sql.lit(limit)}`, values: {} };
}

/** The bound on the rank ends the walk of the index early; pinned rows lie below it whatever their age. */
function updatedSince(since: number): Filter {
  return {
    name: "since",
    build: () => sql`${column("list_rank")} <= ${slot("sinceRank")} and ${column("updated_at")} >= ${slot("since")}`,
    values: { since, sinceRank: -since },
  };
}

function after(position: NonNullable<SessionListQuery["after"]>): Filter {
  const rank = column("list_rank");
  return {
    name: "after",
    build: () =>
      sql`${rank} >= ${slot("afterRank")} and (${rank} > ${slot("afterRank")} or (${rank} = ${slot("afterRank")} and ${column("session_key")} > ${slot("afterKey")}))`,
    values: { afterRank: position.listRank, afterKey: position.sessionKey },
  };
}

/** Membership in a list, padded to a power of two with its last member so that few shapes arise. */
export function inList(name: string, columnOf: string, members: readonly unknown[]): Filter {
  return inReference(name, column(columnOf), members);
}

/** The same for any column reference. */
export function inReference(name: string, reference: RawBuilder<unknown>, members: readonly unknown[]): Filter {
  const last = members.at(-1);
  if (last === undefined) return never;
  const size = members.length > 16_384 ? members.length : 2 ** Math.ceil(Math.log2(members.length));
  const slots = Array.from({ length: size }, (_, index) => `${name}${index}`);
  return {
    name: `${name}[${size}]`,
    build: () => sql`${reference} in (${sql.join(slots.map((each) => slot(each)))})`,
    values: Object.fromEntries(slots.map((each, index) => [each, members[index] ?? last])),
  };
}

/** One way into a list: an index to walk, with the condition that selects its part. */
export interface ScopeMember {
  readonly filter: Filter | undefined;
  /** Walk from the closure of this session's descendants. */
  readonly closureOf: string | undefined;
}

/** The members of a scope, each answered best by another index. A list is what any of them matches. */
export function scopeMembers(scope: SessionScope): readonly ScopeMember[] {
  if (scope.every) return [{ filter: undefined, closureOf: undefined }];
  const members: ScopeMember[] = [];
  const tree = scope.descendantsOf;
  let ids = scope.ids ?? [];
  if (tree?.isRoot) {
    const withRoot = ids.includes(tree.id);
    ids = ids.filter((id) => id !== tree.id);
    members.push({ filter: rootTree(tree.id, withRoot), closureOf: undefined });
  } else if (tree !== undefined) {
    members.push({ filter: undefined, closureOf: tree.id });
  }
  if (ids.length > 0) members.push({ filter: inList("id", "id", ids), closureOf: undefined });
  for (const agentId of new Set(scope.agentIds)) {
    members.push({ filter: equality("scopeAgent", "agent_id", agentId), closureOf: undefined });
  }
  return members;
}

function rootTree(rootId: string, withRoot: boolean): Filter {
  return withRoot
    ? equality("root", "root_id", rootId)
    : {
        name: "below root",
        build: () => sql`${column("root_id")} = ${slot("root")} and ${column("id")} <> ${slot("root")}`,
        values: { root: rootId },
      };
}
