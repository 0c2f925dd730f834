import { expect, test } from "vitest";
import { joinInserts } from "../src/server/join-inserts.ts";
import type { Statement } from "../src/statement.ts";

const postgres = 'insert into "m" ("id", "seq") values ($1, $2)';
const mysql = "insert into `m` (`id`, `seq`) values (?, ?)";

const any = { inPowers: false };

function inserts(sql: string, count: number): readonly Statement[] {
  return Array.from({ length: count }, (_, row) => ({ sql, parameters: [`m${row}`, row], expects: "any" }));
}

test("neighbouring inserts of one kind become one of several rows, with the parameters in their order", () => {
  expect(joinInserts(inserts(postgres, 2), any)).toEqual([
    {
      sql: 'insert into "m" ("id", "seq") values ($1, $2), ($3, $4)',
      parameters: ["m0", 0, "m1", 1],
      expects: "any",
    },
  ]);
  expect(joinInserts(inserts(mysql, 2), any).map(({ sql }) => sql)).toEqual([
    "insert into `m` (`id`, `seq`) values (?, ?), (?, ?)",
  ]);
});

test.each([true, false])("few at once, in powers of two where asked for (%s), and no row is lost", (inPowers) => {
  for (let count = 0; count <= 40; count++) {
    const joined = joinInserts(inserts(mysql, count), { inPowers });
    const sizes = joined.map(({ parameters }) => parameters.length / 2);
    expect(sizes.every((size) => (inPowers ? [1, 2, 4, 8, 16].includes(size) : size <= 16))).toBe(true);
    if (!inPowers) expect(joined.length).toBe(Math.ceil(count / 16));
    expect(joined.flatMap(({ parameters }) => parameters)).toEqual(
      inserts(mysql, count).flatMap(({ parameters }) => parameters),
    );
  }
});

test("what is not alike, no insert of one row, or long stays as it is", () => {
  const update: Statement = { sql: "update m set seq = ? where id = ?", parameters: [1, "m"], expects: 1 };
  const copy: Statement = { sql: "insert into m (id) select id from n where k = ?", parameters: [1], expects: "any" };
  const ignoring: Statement = {
    sql: "insert into m (id) values ($1) on conflict do nothing",
    parameters: [1],
    expects: "any",
  };
  const long: Statement = { sql: mysql, parameters: ["x".repeat(70_000), 1], expects: "any" };
  const [first, second] = [inserts(postgres, 1), inserts(mysql, 1)].flat();
  for (const writes of [
    [update, update],
    [copy, copy],
    [ignoring, ignoring],
    [long, long],
    [first, second, first].flatMap((write) => write ?? []),
  ]) {
    expect(joinInserts(writes, any)).toEqual(writes);
  }
});
