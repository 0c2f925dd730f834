import type { Statement } from "@trunkline/store-sql";
import { expect, test } from "vitest";
import { singleStatement } from "../src/single-statement.ts";

const update: Statement = {
  sql: 'update "sessions" set "version" = $1 where "id" = $2 and "version" = $3',
  parameters: [2, "s", 1],
  expects: "one",
};
const insert: Statement = {
  sql: 'insert into "messages" ("id", "seq") values ($1, $2)',
  parameters: ["m", 7],
  expects: "any",
};
const guarded: Statement = {
  sql: 'update "x"."runs" set "state" = $1 where "id" = $2',
  parameters: ["claimed", "r"],
  expects: "one",
};

const single = (...writes: readonly Statement[]) => singleStatement(writes, new Map());

test("the writes of a transaction become one statement, each behind the first", () => {
  expect(single(update, insert, guarded)).toEqual({
    sql: [
      'with w0 as (update "sessions" set "version" = $1 where "id" = $2 and "version" = $3 returning 1)',
      ', w1 as (insert into "messages" ("id", "seq") select $4, $5 from w0 returning 1)',
      ', w2 as (update "x"."runs" set "state" = $6 where "id" = $7 and exists (select 1 from w0) returning 1)',
      " select case when (select count(*) from w0) = 1 and (select count(*) from w2) = 1 then 0",
      " else ('guard:' || (select count(*) from w0))::int end",
    ].join(""),
    parameters: [2, "s", 1, "m", 7, "claimed", "r"],
  });
});

test("several inserts into one table are one statement, with the values of each", () => {
  expect(single(update, insert, { ...insert, parameters: ["n", 8] })?.parameters.slice(3)).toEqual(["m", 7, "n", 8]);
});

test("what does not mean the same as one statement is none", () => {
  const otherUpdate = { ...update, parameters: [3, "t", 2] };
  const ofMessages: Statement = {
    sql: 'update "messages" set "seq" = $1 where "id" = $2',
    parameters: [1, "m"],
    expects: "any",
  };
  const copy: Statement = {
    sql: 'insert into "messages" ("id") select "id" from "messages"',
    parameters: [],
    expects: "any",
  };
  expect(single(update, otherUpdate)).toBeUndefined();
  expect(single(update, insert, ofMessages)).toBeUndefined();
  expect(single(update, ofMessages, insert)).toBeUndefined();
  expect(single(update, copy)).toBeUndefined();
  expect(single(insert, update)).toBeUndefined();
  expect(single({ ...update, expects: "any" }, insert)).toBeUndefined();
  expect(single()).toBeUndefined();
  expect(single(update, ...Array.from({ length: 12 }, () => insert))).toBeUndefined();
});

test("texts are put together once", () => {
  const texts = new Map<string, string>();
  singleStatement([update, insert], texts);
  singleStatement([{ ...update, parameters: [9, "u", 8] }, insert], texts);
  expect(texts.size).toBe(1);
});
