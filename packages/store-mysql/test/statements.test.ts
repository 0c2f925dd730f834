import type { Statement } from "@trunkline/store-sql";
import { DummyDriver, Kysely, MysqlAdapter, MysqlIntrospector } from "kysely";
import { describe, expect, test } from "vitest";
import { joinUpdates } from "../src/join-updates.ts";
import { expandLargeParameters } from "../src/large-parameters.ts";
import { mysqlTraits } from "../src/mysql-traits.ts";

interface Tables {
  readonly tl_sessions: { readonly id: string; readonly goal: string };
  readonly tl_messages: { readonly id: string; readonly seq: number };
}

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new MysqlAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (instance) => new MysqlIntrospector(instance),
    createQueryCompiler: mysqlTraits.createQueryCompiler,
  },
});

describe("an update by key", () => {
  test("names the primary key, so that MariaDB walks no other index", () => {
    const update = db.updateTable("tl_sessions").set({ goal: "g" }).where("id", "=", "s");
    expect(update.compile().sql).toBe("update `tl_sessions` force index (primary) set `goal` = ? where `id` = ?");
  });

  test("leaves messages alone, whose primary key is their number", () => {
    const update = db.updateTable("tl_messages").set({ seq: 1 }).where("id", "=", "m");
    expect(update.compile().sql).toBe("update `tl_messages` set `seq` = ? where `id` = ?");
  });

  test("is left alone when it is by something else", () => {
    const update = db.updateTable("tl_sessions").set({ goal: "g" }).where("goal", "=", "x");
    expect(update.compile().sql).not.toContain("force index");
  });
});

test("updates of a row each become one that finds the values by the row", () => {
  const sql = "update `t` force index (primary) set `a` = ?, `b` = ? where `id` = ? and `version` = ?";
  const rows = [
    ["a1", 1, "r1", 7],
    ["a2", null, "r2", 8],
  ];
  expect(joinUpdates(rows.map((parameters) => ({ sql, parameters, expects: 1 })))).toEqual({
    sql: [
      "update `t` force index (primary) set",
      "`a` = case `id` when ? then ? when ? then ? end,",
      "`b` = case `id` when ? then ? when ? then ? end",
      "where (`id` = ? and `version` = ?) or (`id` = ? and `version` = ?)",
    ].join(" "),
    parameters: ["r1", "a1", "r2", "a2", "r1", 1, "r2", null, "r1", 7, "r2", 8],
  });
});

describe("a large text", () => {
  const statement = (...parameters: readonly unknown[]): Statement => ({
    sql: "insert into t values (?, ?, ?)",
    parameters,
  });

  test("travels in pieces in front of its statement, and is forgotten behind it", () => {
    const text = `${"a".repeat(1024 * 1024 - 1)}\u{1f600}${"b".repeat(1024 * 1024)}`;
    const { before, statement: main, after } = expandLargeParameters(statement("x", text, 7));
    expect(before.map(({ sql }) => sql)).toEqual([
      "set @trunkline_text1 = ?",
      "set @trunkline_text1 = concat(@trunkline_text1, ?)",
      "set @trunkline_text1 = concat(@trunkline_text1, ?)",
    ]);
    const pieces = before.flatMap(({ parameters }) => parameters.map(String));
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(pieces.join("") === text).toBe(true);
    expect(main).toEqual({ sql: "insert into t values (?, @trunkline_text1, ?)", parameters: ["x", 7] });
    expect(after.map(({ sql }) => sql)).toEqual(["set @trunkline_text1 = null"]);
  });

  test("of ordinary size stays where it is", () => {
    const small = statement("x", "a".repeat(1024 * 1024), null);
    expect(expandLargeParameters(small)).toEqual({ before: [], statement: small, after: [] });
  });
});
