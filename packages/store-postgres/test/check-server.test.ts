import { expect, test } from "vitest";
import { answeringExecutor } from "../../testkit/test/server-stores/answering-executor.ts";
import { failure } from "../../testkit/test/server-stores/sessions.ts";
import { checkServer } from "../src/check-server.ts";

const check = (answer: object) => checkServer(answeringExecutor({ encoding: "UTF8", ...answer }), "the database");

test("B112: a server that is too old is refused, with its version and what to use", async () => {
  const error = await failure(check({ version: "12.22", number: 120_022 }));
  expect(error.code).toBe("store_unavailable");
  expect(error.message).toBe("the database runs PostgreSQL 12.22, which is too old.");
  expect(error.fix).toBe("Use PostgreSQL 13 or newer.");
});

test("B112: the oldest server that is supported, and newer ones, are used", async () => {
  for (const number of [130_000, 150_020, 180_001])
    await expect(check({ version: "", number })).resolves.toBeUndefined();
});
