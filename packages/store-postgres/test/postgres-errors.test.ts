import { expect, test } from "vitest";
import { kindOf, sqlState, toStoreError } from "../src/postgres-errors.ts";

const coded = (code: string, message: string, more = {}) => Object.assign(new Error(message), { code, ...more });

test("an error of a socket is a lost connection, though EPIPE has the five letters of a server's state", () => {
  for (const code of ["EPIPE", "ECONNRESET", "ECONNREFUSED"]) {
    const error = coded(code, `write ${code}`, { errno: -32, syscall: "write" });
    expect([code, sqlState(error), kindOf(error)]).toEqual([code, "", "lost"]);
  }
});

test("what a pooler refuses as a violation of the protocol is what a server refuses with a state of its own", () => {
  const refused = (message: string) => {
    const error = coded("08P01", message, { severity: "FATAL" });
    return [kindOf(error), toStoreError(error, "db").code];
  };
  expect(refused("unsupported startup parameter: lock_timeout")).toEqual(["other", "store_unavailable"]);
  expect(refused('database "app" does not exist')).toEqual(["other", "store_unavailable"]);
  expect(refused("no such user: app")).toEqual(["other", "store_unavailable"]);
  expect(refused("query_wait_timeout")).toEqual(["other", "store_busy"]);
  expect(refused("no more connections allowed (max_client_conn)")).toEqual(["lost", "store_busy"]);
  expect(refused("server conn crashed?")).toEqual(["lost", "store_unavailable"]);
});

test("a statement prepared by another client of a shared connection is told with the option that avoids it", () => {
  const error = coded("42P05", 'prepared statement "trunkline_x" already exists');
  expect([kindOf(error), toStoreError(error, "db").fix?.includes("transactionPooler: true")]).toEqual(["other", true]);
});
